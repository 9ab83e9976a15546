// What the page shows: the exported data, the choices of the reader, and who is told when they change.
import {Maps, groupsOf, mapOfWords, numbered, strongest} from './numbers.js';

export const data = JSON.parse(document.getElementById('data').textContent);
for (const run of data.runs) run.sites = run.sites.map((site) => new Maps(site));

export const state = {
  run: 0, site: 0, layer: 0, head: 0, row: 0, column: 0,
  picture: 'map',    // map, dots, arcs, table
  words: false,      // pieces are joined to words
  written: true,     // rows that write words are named by these; false: by the words that they have read
  beside: false,     // all runs stand beside each other
  look: 'auto',      // auto, light, dark
  projector: false,
  pinned: false,     // the cell stays when the mouse leaves
  next: 0,           // the candidate in the dashed chip
  ...data.start,
};

const listeners = [];
export function onChange(listener) {
  listeners.push(listener);
}

const within = (value, size) => Math.max(0, Math.min(size - 1, value));

// Takes choices over, keeps them within what there is, and tells all parts which of them changed.
export function change(choices) {
  const before = {...state};
  Object.assign(state, choices);
  const run = data.runs[state.run = within(state.run, data.runs.length)];
  const site = run.sites[state.site = within(state.site, run.sites.length)];
  state.layer = within(state.layer, site.layers);
  state.head = within(state.head, site.heads);
  if (before.words !== state.words) follow(before);
  const map = shownMap();
  state.row = within(state.row, map.rows);
  state.column = within(state.column, map.columns);
  const changed = new Set(Object.keys(state).filter((key) => state[key] !== before[key]));
  for (const listener of listeners) listener(changed);
}

// The lit cell goes from pieces to their words, or from words to their last pieces.
function follow(before) {
  for (const [axis, text] of [['row', rowText()], ['column', columnText()]]) {
    const old = groupsOf(text.joins, before.words), now = groupsOf(text.joins, state.words);
    const pieces = old[Math.min(before[axis], old.length - 1)], piece = pieces[pieces.length - 1];
    state[axis] = now.findIndex((group) => group.includes(piece));
  }
}

export const shownRun = () => data.runs[state.run];
export const shownSite = (run = shownRun()) => run.sites[Math.min(state.site, run.sites.length - 1)];
export const rowText = (run = shownRun()) => run.texts[shownSite(run).rows_of];
export const columnText = (run = shownRun()) => run.texts[shownSite(run).columns_of];
export const groups = (text) => groupsOf(text.joins, state.words);
export const labels = (text) => state.words ? text.words : text.pieces;
export const names = (text) => numbered(labels(text));

// The names of the rows. What has been read up to a row's last piece is followed by what the row writes; behind the last one
// stands the model's guess.
export function rowNames(run = shownRun()) {
  const text = rowText(run), site = shownSite(run);
  if (!site.writes || !state.written) return names(text);
  const all = groups(text), read = labels(text);
  return numbered(all.map((group) => {
    const next = group[group.length - 1] + 1, at = all.findIndex((other) => other.includes(next));
    return at < 0 ? site.guess : read[at];
  }));
}

const ofWords = new WeakMap();  // a map of pieces -> the same of words

// One head's map, of pieces or words. A head beyond what another run has is its last one.
export function shownMap(layer = state.layer, head = state.head, run = shownRun()) {
  const site = shownSite(run), text = rowText(run), other = columnText(run);
  const map = site.map(within(layer, site.layers), within(head, site.heads));
  if (!state.words) return map;
  if (!ofWords.has(map)) ofWords.set(map, mapOfWords(map, groups(text), groups(other)));
  return ofWords.get(map);
}

// The largest weight between two different words, the first of which is not looked at: what a reader should see first.
export function strikingCell() {
  const map = shownMap(), self = shownSite().rows_of === shownSite().columns_of, best = {row: map.rows - 1, column: 0, value: -1};
  for (let row = 0; row < map.rows; ++row)
    for (let column = 1; column < map.columns; ++column) {
      const i = row * map.columns + column;
      if (map.seen[i] && !(self && row === column) && map.values[i] > best.value) Object.assign(best, {row, column, value: map.values[i]});
    }
  return {row: best.row, column: best.column};
}

// The token looks where its weight is largest. The first token is passed over: heads that find nothing rest on it.
export function lookFrom(row) {
  change({row, column: Math.max(0, strongest(shownMap(), row, true)), pinned: true});
}
export function lookAt(column) {
  const map = shownMap();
  let best = -1;
  for (let r = 0; r < map.rows; ++r) {
    const i = r * map.columns + column;
    if (map.seen[i] && (best < 0 || map.values[i] > map.values[best * map.columns + column])) best = r;
  }
  change({row: Math.max(0, best), column, pinned: true});
}
