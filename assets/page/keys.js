// The keyboard: arrows change layer and head, or in the map the cell; letters change what is shown.
import {change, data, shownMap, state} from './state.js';
import {element, fill, tr} from './words.js';

const kSheet = [
  ['↑ ↓', 'layer'], ['← →', 'head'], ['Tab', 'into the map, then arrows: a cell'], ['M D A T', 'map, dots, arcs, table'], ['W', 'pieces or words'],
  ['L', 'light or dark'], ['P', 'projector'], ['B', 'all runs beside each other'], ['Esc', 'leaves the map, the projector'], ['?', 'all keys'],
];

const pictures = {m: 'map', d: 'dots', a: 'arcs', t: 'table'};
export const looks = ['auto', 'light', 'dark'];

export function listenToKeys() {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest('select, input, dialog')) return;
    const inMap = event.target.closest('.matrix'), key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const arrows = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]};
    if (arrows[key]) {
      const [down, right] = arrows[key];
      change(inMap ? {row: state.row + down, column: state.column + right, pinned: true} : {layer: state.layer + down, head: state.head + right});
      if (event.target.closest('#heads')) document.querySelector('#heads button.lit')?.focus({preventScroll: true});
    } else if (pictures[key]) change({picture: pictures[key]});
    else if (key === 'w') change({words: !state.words});
    else if (key === 'p') change({projector: !state.projector});
    else if (key === 'b' && data.runs.length > 1) change({beside: !state.beside});
    else if (key === 'l') change({look: looks[(looks.indexOf(state.look) + 1) % looks.length]});
    else if (key === '?') showKeys();
    else if (key === 'Escape') {
      if (inMap) inMap.blur();
      else change({projector: false, pinned: false});
    } else return;
    event.preventDefault();
  });
}

export function showKeys() {
  const sheet = document.getElementById('keys');
  sheet.replaceChildren(element('h2', {}, tr('all keys')),
                        element('dl', {}, ...kSheet.flatMap(([keys, words]) => [element('dt', {}, ...keys.split(' ').map((one) => element('kbd', {}, one))),
                                                                               element('dd', {}, tr(words))])),
                        element('form', {method: 'dialog'}, element('button', {autofocus: true}, tr('close'))));
  sheet.showModal();
}
