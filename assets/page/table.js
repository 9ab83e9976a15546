// The numbers behind the picture as a table, which a screen reader reads, and everyone where it is chosen as the picture.
import {cellNumber} from './numbers.js';
import {columnText, names, rowNames, shownMap, state} from './state.js';
import {element, fill, tr} from './words.js';

const kMostCells = 10000;  // a larger map's table has the lit row alone

let made = '';
export function drawTable() {
  const host = document.getElementById('table');
  host.classList.toggle('unseen', state.picture !== 'table');
  const map = shownMap(), whole = map.rows * map.columns <= kMostCells;
  const key = [state.run, state.site, state.layer, state.head, state.words, state.written, whole ? '' : state.row].join();
  if (key !== made) {
    made = key;
    const rows = rowNames(), columns = names(columnText());
    const body = [];
    for (let r = 0; r < map.rows; ++r) {
      if (!whole && r !== state.row) continue;
      const cells = columns.map((_, c) => {
        const i = r * map.columns + c;
        return map.seen[i] ? element('td', {}, cellNumber(map.values[i], 3))
          : element('td', {}, element('span', {'aria-hidden': 'true'}, '–'), element('span', {class: 'unseen'}, tr('not seen')));
      });
      body.push(element('tr', {'data-row': r}, element('th', {scope: 'row'}, element('bdi', {}, rows[r])), ...cells));
    }
    host.replaceChildren(element('table', {},
      element('caption', {}, fill(tr('Layer {0}, head {1}: each row\'s word looks at the words of the columns'), state.layer, state.head) +
                                 (whole ? '' : ' · ' + tr('the table has the lit row alone'))),
      element('thead', {}, element('tr', {}, element('td'), ...columns.map((text) => element('th', {scope: 'col'}, element('bdi', {}, text))))),
      element('tbody', {}, ...body)));
  }
  for (const row of host.querySelectorAll('tbody tr')) {
    row.classList.toggle('lit', Number(row.dataset.row) === state.row);
    [...row.cells].forEach((cell, c) => cell.classList.toggle('lit', c === state.column + 1));
  }
}
