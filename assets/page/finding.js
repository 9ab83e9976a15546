// The lit cell in words: who looks at whom, which others do so, and in which other heads.
import {paintSmall} from './paint.js';
import {cellNumber, strongest} from './numbers.js';
import {change, columnText, names, rowNames, shownMap, shownSite, state} from './state.js';
import {element, fill, narrow, say, token, tr} from './words.js';

const kLeastShare = 0.2, kMostNamed = 3, kMostHeads = 5;

export function drawFinding() {
  const map = shownMap(), site = shownSite(), rows = rowNames(), columns = names(columnText());
  const at = state.row * map.columns + state.column, value = map.values[at];
  const number = element('b', {class: 'mono'}, cellNumber(value, 3));
  const row = token(rows[state.row], true), column = token(columns[state.column], true);
  const finding = document.getElementById('finding');
  if (!map.seen[at]) say(finding, tr('{0} may not look at {1}: the cell is masked.'), row, column);
  else if (!site.sums) say(finding, tr('{0} and {1}: {2}'), row, column, number);
  else if (site.rows_of === site.columns_of && state.row === state.column) say(finding, tr('{0} looks at itself with {1} of its attention.'), row, number);
  else if (site.writes && state.written && narrow()) say(finding, tr('To write {0}, it looks at {1}'), row, column);
  else if (site.writes && state.written) say(finding, tr('To write {0}, it looks at {1} with {2} of its attention.'), row, column, number);
  else if (narrow()) say(finding, tr('{0} looks at {1}'), row, column);  // the number stands large beside it
  else say(finding, tr('{0} looks at {1} with {2} of its attention.'), row, column, number);
  document.getElementById('large').textContent = map.seen[at] ? cellNumber(value, 3) : '';
  drawOthers(map, rows, columns, site);
  drawHeads(map, rows, columns, site);
}

function drawOthers(map, rows, columns, site) {
  const host = document.getElementById('others'), column = state.column, others = [];
  for (let r = 0; r < map.rows; ++r) {
    const i = r * map.columns + column;
    if (r !== state.row && map.seen[i] && map.values[i] >= kLeastShare) others.push({r, value: map.values[i]});
  }
  others.sort((a, b) => b.value - a.value);
  const named = others.slice(0, kMostNamed);
  const list = element('span');
  named.forEach(({r, value}, i) => {
    if (i > 0) list.append(i + 1 < named.length || others.length > named.length ? ', ' : tr(' and '));
    list.append(token(rows[r]), ' ', element('span', {class: 'mono'}, cellNumber(value, 3)));
  });
  const parts = [];
  if (named.length && site.sums && map.values[state.row * map.columns + column] >= kLeastShare) {
    const sentence = element('span');
    say(sentence, others.length > named.length ? tr('So do {0} and {1} more.') : tr('So do {0}.'), list, String(others.length - named.length));
    parts.push(sentence, ' ');
  }
  let first = 0;
  for (let r = 0; r < map.rows; ++r)
    if (r !== state.row && !others.some((one) => one.r === r) && strongest(map, r) === 0) ++first;
  if (column !== 0 && first > 1 && site.sums) {
    const sentence = element('span');
    say(sentence, tr('{0} others look most at the first one, {1}.'), String(first), token(columns[0]));
    parts.push(sentence);
  }
  host.replaceChildren(...parts);
}

// The heads in which the same cell has the largest weights.
function drawHeads(map, rows, columns, site) {
  const host = document.getElementById('also'), list = [];
  host.hidden = !map.seen[state.row * map.columns + state.column] || site.count < 2 || !site.sums;
  if (host.hidden) return;
  for (let layer = 0; layer < site.layers; ++layer)
    for (let head = 0; head < site.heads; ++head) {
      if (layer === state.layer && head === state.head) continue;
      const other = shownMap(layer, head), i = state.row * map.columns + state.column;
      if (other.seen[i]) list.push({layer, head, value: other.values[i]});
    }
  list.sort((a, b) => b.value - a.value);
  const best = list.slice(0, kMostHeads).map(({layer, head, value}) => {
    const canvas = element('canvas', {'aria-hidden': 'true'}), bar = element('i', {class: 'fill'});
    paintSmall(canvas, shownMap(layer, head), site, 22);
    bar.style.width = 100 * Math.max(0, Math.min(1, value)) + '%';
    return element('li', {}, element('button', {type: 'button', onclick: () => change({layer, head})}, canvas,
                                     element('span', {class: 'what'}, fill(tr('layer {0}, head {1}'), layer, head)),
                                     element('span', {class: 'bar'}, bar), element('span', {class: 'mono'}, cellNumber(value, 3))));
  });
  const quiet = element('p', {class: 'quiet'});
  say(quiet, tr('{0} → {1}, the next {2} of {3}'), token(rows[state.row], true), token(columns[state.column], true), String(best.length), String(site.count));
  host.replaceChildren(element('h2', {}, tr('Other heads that do so')), quiet, element('ol', {class: 'list'}, ...best));
}
