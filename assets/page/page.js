// Puts the page together: the controls, and which part is drawn anew when something changes.
import {drawArcs} from './arcs.js';
import {drawChips, lightChips} from './chips.js';
import {applyTheme, setPrinting} from './colours.js';
import {drawFinding} from './finding.js';
import {listenToKeys, looks, showKeys} from './keys.js';
import {drawLens, drawNext} from './next.js';
import {drawLegend, drawPicture, lightPicture} from './picture.js';
import {drawSpine, lightSpine} from './spine.js';
import {change, data, onChange, shownRun, shownSite, state, strikingCell} from './state.js';
import {drawTable} from './table.js';
import {element, fill, tr} from './words.js';

const byId = (id) => document.getElementById(id);

// Buttons of which one is chosen.
function choice(id, key, entries, label) {
  const host = byId(id);
  host.hidden = entries.length < 2;
  host.setAttribute('aria-label', label);
  host.replaceChildren(...entries.map(([value, words]) => element(
      'button', {type: 'button', 'data-value': String(value), 'aria-pressed': String(state[key] === value), onclick: () => change({[key]: value})}, words)));
}

function stepper(key, words, count) {
  const step = (by) => () => change({[key]: state[key] + by});
  return element('div', {class: 'stepper', role: 'group', 'aria-label': words}, element('span', {class: 'quiet'}, words),
                 element('button', {type: 'button', 'aria-label': fill(tr('previous {0}'), words), onclick: step(-1), disabled: state[key] === 0}, '‹'),
                 element('b', {class: 'mono', id: 'at-' + key}, String(state[key])),
                 element('button', {type: 'button', 'aria-label': fill(tr('next {0}'), words), onclick: step(1), disabled: state[key] === count - 1}, '›'));
}

function drawControls() {
  const run = shownRun(), site = shownSite();
  byId('title').textContent = run.title;
  choice('runs', 'run', data.runs.map((one, i) => [i, one.name]), tr('runs'));
  choice('beside', 'beside', data.runs.length > 1 ? [[false, tr('alone')], [true, tr('beside each other')]] : [], tr('runs'));
  choice('sites', 'site', run.sites.map((one, i) => [i, one.name]), tr('attention'));
  choice('pictures', 'picture', [['map', tr('map')], ['dots', tr('dots')], ['arcs', tr('arcs')], ['table', tr('table')]], tr('picture'));
  const joined = run.texts.some((text) => text.joins.some(Boolean));
  choice('words', 'words', joined ? [[false, tr('pieces')], [true, tr('words')]] : [], tr('pieces or words'));
  choice('rows', 'written', site.writes ? [[true, tr('written')], [false, tr('read')]] : [], tr('rows are named by the word'));
  byId('steppers').replaceChildren(stepper('layer', tr('layer'), site.layers), stepper('head', tr('head'), site.heads),
                                   ...family(site));
  const names = {auto: tr('as the system'), light: tr('light'), dark: tr('dark')};
  byId('look').replaceChildren(...looks.map((look) => element('option', {value: look, selected: look === state.look}, names[look])));
  byId('look').setAttribute('aria-label', tr('look'));
  byId('projector').textContent = tr('projector');
  byId('projector').setAttribute('aria-pressed', String(state.projector));
  byId('print').textContent = tr('print');
  byId('more').textContent = tr('more');
  byId('hints').replaceChildren(
      ...[['↑ ↓', tr('layer')], ['← →', tr('head')], ['Tab', tr('into the map, then arrows: a cell')], ['T', tr('the same numbers as a table')]].map(
          ([keys, words]) => element('span', {}, ...keys.split(' ').map((key) => element('kbd', {}, key)), ' ', words)),
      element('button', {type: 'button', class: 'plain', onclick: showKeys}, element('kbd', {}, '?'), ' ', tr('all keys')));
  byId('where').textContent = fill(tr('layer {0}, head {1}; row looks at column'), state.layer, state.head);
  byId('facts').replaceChildren(...[...data.facts, ...run.facts, ...site.facts].map((fact) => element('span', {}, fact)));
}

function family(site) {
  if (site.key_heads === site.heads) return [];
  const share = site.heads / site.key_heads;
  return [element('span', {class: 'quiet', id: 'family'}, fill(tr('reads key head {0} of {1}'), Math.floor(state.head / share), site.key_heads))];
}

function drawAll() {
  applyTheme();
  drawControls();
  drawChips();
  drawSpine();
  drawPictures();
}

function drawPictures() {
  drawPicture();
  drawArcs();
  drawLegend();
  light();
}

function light() {
  lightPicture();
  lightChips();
  drawFinding();
  drawTable();
  if (state.picture === 'arcs') drawArcs();
  drawLens();
}

onChange((changed) => {
  const any = (...keys) => keys.some((key) => changed.has(key));
  if (any('run', 'site', 'words', 'written', 'look', 'projector')) drawAll();
  else if (any('layer', 'head', 'picture', 'beside')) {
    drawControls();
    lightSpine();
    drawPictures();
  } else if (any('row', 'column')) light();
  if (any('next')) drawChips();
  if (any('next', 'run')) drawNext();
});

byId('look').addEventListener('change', (event) => change({look: event.target.value}));
byId('projector').addEventListener('click', () => change({projector: !state.projector}));
byId('print').addEventListener('click', () => print());
byId('more').addEventListener('click', () => {
  const open = document.body.classList.toggle('more');
  byId('more').setAttribute('aria-expanded', String(open));
});
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAll);
addEventListener('resize', drawAll);
addEventListener('beforeprint', () => { setPrinting(true); drawAll(); });
addEventListener('afterprint', () => { setPrinting(false); drawAll(); });
listenToKeys();
change(data.start.row === undefined ? strikingCell() : {});
drawNext();
drawAll();
