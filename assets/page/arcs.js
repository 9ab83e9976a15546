// The selected head as arcs: each word on the left is joined to the words on the right that it looks at.
import {colourOf, css, notFinite} from './colours.js';
import {change, columnText, names, rowNames, shownMap, shownSite, state} from './state.js';
import {cellNumber, strongest} from './numbers.js';

const kLeast = 0.02, kPitch = 30, kSvg = 'http://www.w3.org/2000/svg';

function shape(name, attributes, text) {
  const made = document.createElementNS(kSvg, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

export function drawArcs() {
  const host = document.getElementById('arcs');
  host.hidden = state.picture !== 'arcs';
  if (host.hidden) return;
  const map = shownMap(), rows = rowNames(), columns = names(columnText());
  const scale = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16, pitch = kPitch * scale;
  const width = Math.min(document.getElementById('main').clientWidth - 48, 900), side = width * 0.3;
  const height = pitch * Math.max(map.rows, map.columns) + 8;
  const svg = shape('svg', {width, height, 'aria-hidden': 'true', direction: 'ltr'});
  let most = 0;
  map.values.forEach((value) => { if (Math.abs(value) > most && Number.isFinite(value)) most = Math.abs(value); });
  const lit = [];
  for (let r = 0; r < map.rows; ++r)
    for (let c = 0; c < map.columns; ++c) {
      const value = map.values[r * map.columns + c], share = notFinite(value) ? 1 : Math.abs(value) / (most || 1);
      if (!map.seen[r * map.columns + c] || !(share >= kLeast)) continue;
      const y = (r + 0.5) * pitch + 4, to = (c + 0.5) * pitch + 4, middle = width / 2;
      const path = shape('path', {
        d: `M${side} ${y}C${middle} ${y} ${middle} ${to} ${width - side} ${to}`, fill: 'none', 'stroke-width': (0.6 + 5 * share) * scale,
        class: r === state.row ? (c === state.column ? 'arc lit chosen' : 'arc lit') : 'arc', 'stroke-opacity': r === state.row ? 1 : 0.15 + 0.45 * share});
      if (notFinite(value)) path.style.stroke = css(colourOf(value, shownSite()));
      if (r === state.row) lit.push(path);
      else svg.append(path);
    }
  svg.append(...lit);
  const word = (text, x, y, anchor, isLit, click) => {
    const made = shape('text', {x, y: y + 5 * scale, 'text-anchor': anchor, class: isLit ? 'lit' : ''}, text);
    made.addEventListener('click', click);
    return made;
  };
  rows.forEach((text, r) => svg.append(word(text, side - 10, (r + 0.5) * pitch + 4, 'end', r === state.row,
                                            () => change({row: r, column: Math.max(0, strongest(shownMap(), r))}))));
  columns.forEach((text, c) => {
    svg.append(word(text, width - side + 10, (c + 0.5) * pitch + 4, 'start', c === state.column, () => change({column: c})));
    const i = state.row * map.columns + c;
    if (map.seen[i] && (notFinite(map.values[i]) || Math.abs(map.values[i]) / (most || 1) >= kLeast))
      svg.append(shape('text', {x: width - 4, y: (c + 0.5) * pitch + 4 + 5 * scale, 'text-anchor': 'end', class: 'number'}, cellNumber(map.values[i])));
  });
  host.replaceChildren(svg);
}
