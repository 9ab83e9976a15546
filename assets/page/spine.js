// All heads small: a row a layer, downwards. A bar under a head says that it has a role, and how strongly.
import {roleHue} from './colours.js';
import {paintSmall} from './paint.js';
import {change, shownMap, shownRun, shownSite, state} from './state.js';
import {element, fill, narrow, tr} from './words.js';

let buttons = [];

export function nameOfHead(site, layer, head) {
  const name = fill(tr('layer {0}, head {1}'), layer, head), role = site.roles.find((one) => one.layer === layer && one.head === head);
  return name + (role ? ', ' + role.name : '');
}

export function drawSpine() {
  const run = shownRun(), site = shownSite(), scale = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
  const room = document.getElementById('heads');
  const size = narrow() ? 64 : Math.round(Math.max(17, Math.min(48, (room.clientWidth - 58 * scale) / site.heads - 6,
                                                                  (window.innerHeight - room.getBoundingClientRect().top - 110) / site.layers - 8)));
  document.getElementById('model').replaceChildren(
      element('b', {}, run.model), ' ', element('span', {class: 'quiet'}, fill(tr('{0} × {1} heads'), site.layers, site.heads)),
      ...(run.origin ? [' ', element('span', {class: 'badge ' + run.origin}, run.origin_words)] : []));
  const count = new Map();
  for (const role of site.roles) count.set(role.name, {hue: role.hue, heads: (count.get(role.name)?.heads || 0) + 1});
  document.getElementById('roles').replaceChildren(
      ...[...count].sort((a, b) => b[1].heads - a[1].heads).slice(0, 4).map(([name, {hue, heads}]) => {
        const mark = element('i', {class: 'mark'});
        mark.style.background = roleHue(hue);
        return element('span', {}, mark, name, ' ', element('b', {}, String(heads)));
      }),
      ...(count.size ? [element('span', {class: 'quiet'}, site.roles_from)] : []));
  buttons = [];
  const grid = document.getElementById('heads');
  const numbers = element('div', {class: 'layer numbers', 'aria-hidden': 'true'}, element('span', {class: 'number'}, tr('layer')),
                          ...grouped(Array.from({length: site.heads}, (_, head) => cellOf(size, element('span', {class: 'number'}, String(head)))), site));
  const layers = Array.from({length: site.layers}, (_, layer) => {
    const cells = Array.from({length: site.heads}, (_, head) => headButton(site, layer, head, size));
    buttons.push(cells.map((cell) => cell.firstChild));
    return element('div', {class: 'layer', 'data-layer': layer}, element('span', {class: 'number'}, String(layer)), ...grouped(cells, site));
  });
  grid.replaceChildren(numbers, ...layers);
  lightSpine();
}

const cellOf = (size, ...children) => {
  const cell = element('div', {class: 'head'}, ...children);
  cell.style.width = size + 'px';
  return cell;
};

// Query heads that share a key head stand together, and the bracket names it.
function grouped(cells, site) {
  const share = site.heads / site.key_heads;
  if (share === 1 || !Number.isInteger(share)) return cells;
  return Array.from({length: site.key_heads}, (_, key) => element(
      'div', {class: 'family', title: fill(tr('key head {0} is shared by query heads {1} to {2}'), key, key * share, (key + 1) * share - 1)},
      ...cells.slice(key * share, (key + 1) * share)));
}

function headButton(site, layer, head, size) {
  const canvas = element('canvas', {'aria-hidden': 'true'});
  const button = element('button', {type: 'button', 'aria-label': nameOfHead(site, layer, head), title: nameOfHead(site, layer, head),
                                    onclick: () => change({layer, head})}, canvas);
  paintSmall(canvas, shownMap(layer, head), site, size);
  const role = site.roles.find((one) => one.layer === layer && one.head === head), bar = element('i', {class: 'score'});
  if (role) Object.assign(bar.style, {background: roleHue(role.hue), width: Math.round(100 * role.score) + '%'});
  return cellOf(size, button, bar, element('span', {class: 'number below', 'aria-hidden': 'true'}, String(head)));
}

export function lightSpine() {
  buttons.forEach((row, layer) => row.forEach((button, head) => {
    const chosen = layer === state.layer && head === state.head;
    button.classList.toggle('lit', chosen);
    button.setAttribute('aria-pressed', String(chosen));
    button.tabIndex = chosen ? 0 : -1;
  }));
  for (const row of document.querySelectorAll('#heads .layer[data-layer]'))
    row.classList.toggle('current', Number(row.dataset.layer) === state.layer);
  const chosen = buttons[state.layer]?.[state.head], grid = document.getElementById('heads');
  if (!chosen) return;
  // Scrolls the list alone, never the page.
  const place = chosen.getBoundingClientRect(), room = grid.getBoundingClientRect();
  if (place.top < room.top || place.bottom > room.bottom) grid.scrollTop += place.top - room.top - room.height / 2;
  if (place.left < room.left || place.right > room.right) grid.scrollLeft += place.left - room.left - room.width / 2;
}
