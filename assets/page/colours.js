// Colours: the themes of the window, its colour maps, and the ink that can be read on a colour.
import {data, state} from './state.js';

const sequential = data.colors.match(/.{6}/g).map(parse);
function parse(hex) {
  return [0, 2, 4].map((i) => parseInt(hex.slice(i, i + 2), 16));
}
const between = (a, b, t) => a.map((one, i) => one + (b[i] - one) * t);

let printing = false;
export function setPrinting(on) {
  printing = on;
}
export function themeName() {
  const dark = state.look === 'auto' ? matchMedia('(prefers-color-scheme: dark)').matches : state.look === 'dark';
  if (printing) return 'light';
  return state.projector ? (dark ? 'contrast' : 'contrast_light') : dark ? 'dark' : 'light';
}
export const theme = () => data.themes[themeName()];

// The theme's colours as variables of the style sheet.
export function applyTheme() {
  const root = document.documentElement, colours = theme();
  for (const [name, value] of Object.entries(colours)) if (typeof value === 'string') root.style.setProperty('--' + name, '#' + value);
  root.style.colorScheme = themeName().includes('light') ? 'light' : 'dark';
  root.classList.toggle('projector', state.projector);
}

// A token's or role's hue. The first one is amber, which means selected; it is nobody's.
export const hue = (index) => '#' + theme().hues[1 + index % (theme().hues.length - 1)];
export const roleHue = (index) => '#' + theme().hues[index];

// 0 of a number, else 1, 2 or 3 of -infinity, +infinity and NaN: of several cells that share a pixel, the highest shows.
export const notFinite = (value) => Number.isFinite(value) ? 0 : Number.isNaN(value) ? 3 : value > 0 ? 2 : 1;

// [r, g, b] of a value, as the window colours it.
export function colourOf(value, site) {
  if (notFinite(value)) return parse(data.not_finite[['minus', 'plus', 'nan'][notFinite(value) - 1]]);
  const [low, high] = site.range;
  const t = Math.max(0, Math.min(1, (value - low) / (high - low)));
  if (site.is_signed) {
    const x = 2 * t - 1;
    return between(parse(theme().signed_middle), parse(x < 0 ? theme().signed_low : theme().signed_high), Math.abs(x));
  }
  const place = t * 255, below = Math.min(Math.floor(place), 254);
  return between(sequential[below], sequential[below + 1], place - below);
}
export const css = (colour) => `rgb(${colour.map(Math.round).join(',')})`;

// Black or white, whichever has more contrast (WCAG 2.1).
export function inkOn(colour) {
  const [r, g, b] = colour.map((one) => {
    const c = one / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * r + 0.7152 * g + 0.0722 * b;
  return (luminance + 0.05) / 0.05 >= 1.05 / (luminance + 0.05) ? '#000' : '#fff';
}
