// The selected head large: the map or its dots, with a label for every row and column. Pointing, touching and keys move the lit cell.
import {notFinite, theme} from './colours.js';
import {paintCells, sized} from './paint.js';
import {change, columnText, data, names, rowNames, shownMap, shownRun, shownSite, state} from './state.js';
import {element, fill, tr} from './words.js';

const kLeastLabelled = 11;  // pixels of a cell that has a label

let shown = [];  // {run, map, box, canvas, rowLabels, columnLabels, rings} of each picture

const measuring = document.createElement('canvas').getContext('2d');
function widthOf(text, size) {
  measuring.font = `${size}px ${getComputedStyle(document.body).getPropertyValue('--mono')}`;
  return measuring.measureText(text).width;
}

export function drawPicture() {
  const host = document.getElementById('picture');
  const runs = state.beside ? data.runs : [shownRun()];
  host.hidden = state.picture !== 'map' && state.picture !== 'dots';
  if (host.hidden) return;
  const main = document.getElementById('main'), room = main.clientWidth - 2 * parseFloat(getComputedStyle(main).paddingLeft) - 6;
  const across = runs.length < 2 ? 1 : Math.max(1, Math.min(runs.length, Math.floor(room / 320)));
  shown = [];
  host.replaceChildren(...runs.map((run, i) => one(run, (room - 24 * (across - 1)) / across, i)));
  host.style.gridTemplateColumns = `repeat(${across}, max-content)`;
  lightPicture();
}

// Labels of columns stand level, on two lines in turn; where they do not fit so, all are turned.
function one(run, width, number) {
  const map = shownMap(state.layer, state.head, run), site = shownSite(run);
  const rows = rowNames(run), columns = names(columnText(run));
  const scale = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16, type = 13 * scale;
  const left = Math.min(width * 0.34, Math.ceil(Math.max(...rows.map((name) => widthOf(name, type)))) + 14);
  const most = Math.max(map.rows, map.columns);
  const w = Math.max((width - left - 8) / map.columns, most <= 320 ? kLeastLabelled : 2);
  const above = document.getElementById('picture').getBoundingClientRect().top + window.scrollY;
  const tall = Math.max(window.innerHeight - above - 190 * scale, 240) / map.rows;
  const cell = {w: Math.min(w, 88 * scale), h: 0};
  cell.h = Math.max(Math.min(cell.w, Math.max(tall, Math.min(cell.w, 26 * scale))), Math.min(cell.w, kLeastLabelled));
  const longest = Math.ceil(Math.max(...columns.map((name) => widthOf(name, type))));
  const level = longest + 10 <= 2 * cell.w;
  const top = level ? 44 * scale : longest * 0.94 + 18;
  const box = {x: left, y: top, width: cell.w * map.columns, height: cell.h * map.rows};
  const canvas = element('canvas', {'aria-hidden': 'true'});
  const pen = sized(canvas, box.width, box.height);
  pen.font = `${Math.min(14 * scale, cell.h * 0.6)}px ${getComputedStyle(document.body).getPropertyValue('--mono')}`;
  pen.textAlign = 'center';
  pen.textBaseline = 'middle';
  paintCells(pen, map, site, {x: 0, y: 0, width: box.width, height: box.height},
             {numbers: state.picture === 'map' && cell.w >= 40 && cell.h >= 20, dots: state.picture === 'dots'});
  canvas.style.left = box.x + 'px';
  canvas.style.top = box.y + 'px';
  canvas.style.touchAction = box.x + box.width <= width ? 'none' : 'auto';  // a map that is too wide is scrolled by the finger

  const label = (text, style, axis, index) => {
    const made = element('bdi', {class: 'label', onclick: () => axis === 'row' ? change({row: index}) : change({column: index})}, text);
    Object.assign(made.style, style);
    return made;
  };
  const rowLabels = rows.map((text, r) => label(text, {
    right: `calc(100% - ${box.x - 8}px)`, top: box.y + r * cell.h + 'px', height: cell.h + 'px', lineHeight: cell.h + 'px',
    maxWidth: left - 8 + 'px', fontSize: Math.min(type, Math.max(9, cell.h)) + 'px'}, 'row', r));
  const columnLabels = columns.map((text, c) => label(text, level
    ? {left: box.x + c * cell.w + cell.w / 2 + 'px', top: (c % 2 ? 22 : 0) * scale + 'px', transform: 'translateX(-50%)'}
    : {left: box.x + c * cell.w + cell.w / 2 + 3 + 'px', top: box.y - 6 - 18 + 'px', transform: 'rotate(-70deg)', transformOrigin: '0 100%',
       fontSize: Math.min(type, Math.max(9, cell.w)) + 'px'}, 'column', c));
  const hairlines = level ? columns.map((text, c) => {
    const line = element('i', {class: 'hairline'});
    Object.assign(line.style, {left: box.x + c * cell.w + cell.w / 2 + 'px', top: (c % 2 ? 40 : 20) * scale + 'px',
                               height: (c % 2 ? 3 : 22) * scale + 'px'});
    return line;
  }) : [];
  const rings = {row: element('i', {class: 'ring'}), column: element('i', {class: 'ring'}), cell: element('i', {class: 'ring cell'})};
  const frame = element('div', {class: 'matrix', tabindex: '0', role: 'application', 'aria-roledescription': tr('map'),
                                'aria-label': tr('row looks at column; arrow keys move the cell'), 'data-run': number},
                        canvas, ...hairlines, ...columnLabels, ...rowLabels, rings.row, rings.column, rings.cell);
  frame.style.width = box.x + box.width + 8 + 'px';
  frame.style.height = box.y + box.height + 6 + 'px';
  shown.push({run, map, box, cell, rowLabels, columnLabels, rings});
  point(frame, box, cell, map);
  const title = data.runs.length > 1 ? [element('figcaption', {}, run.name)] : [];
  return element('figure', {}, ...title, element('div', {class: 'scroll'}, frame));
}

// A mouse lights what is under it and a click pins it; a finger lights what it touches, also while it is drawn across.
function point(frame, box, cell, map) {
  const at = (event) => {
    const place = frame.getBoundingClientRect();
    const column = Math.floor((event.clientX - place.left - box.x) / cell.w);
    const row = Math.floor((event.clientY - place.top - box.y) / cell.h);
    return row >= 0 && column >= 0 && row < map.rows && column < map.columns ? {row, column} : null;
  };
  frame.addEventListener('pointermove', (event) => {
    const cellUnder = at(event);
    if (cellUnder && (event.pointerType !== 'mouse' || !state.pinned)) change(cellUnder);
  });
  frame.addEventListener('pointerdown', (event) => {
    const cellUnder = at(event);
    if (!cellUnder) return;
    const same = state.pinned && state.row === cellUnder.row && state.column === cellUnder.column;
    change({...cellUnder, pinned: event.pointerType === 'mouse' && !same});
  });
}

const place = (ring, x, y, width, height, visible) => {
  ring.hidden = !visible;
  Object.assign(ring.style, {left: x - 2 + 'px', top: y - 2 + 'px', width: width + 3 + 'px', height: height + 3 + 'px'});
};
export function lightPicture() {
  for (const {box, cell, map, rowLabels, columnLabels, rings} of shown) {
    const {row, column} = state, inside = row < map.rows && column < map.columns;
    place(rings.row, box.x, box.y + row * cell.h, box.width, cell.h, row < map.rows);
    place(rings.column, box.x + column * cell.w, box.y, cell.w, box.height, column < map.columns);
    place(rings.cell, box.x + column * cell.w, box.y + row * cell.h, cell.w, cell.h, inside);
    rowLabels.forEach((label, r) => {
      label.classList.toggle('lit', r === row);
      label.hidden = cell.h < kLeastLabelled && r !== row;
    });
    columnLabels.forEach((label, c) => {
      label.classList.toggle('lit', c === column);
      label.hidden = cell.w < kLeastLabelled && c !== column;
    });
  }
}

// "60 of 3,600 cells are not a number", each kind behind its colour.
function countedCells(map, site) {
  const counts = [0, 0, 0, 0], grouped = (count) => count.toLocaleString('en-US');
  map.values.forEach((value, i) => { if (map.seen[i]) ++counts[notFinite(value)]; });
  const words = [
    [NaN, counts[3], tr('{0} of {1} cells is not a number'), tr('{0} of {1} cells are not a number')],
    [Infinity, counts[2], tr('{0} of {1} cells is +∞'), tr('{0} of {1} cells are +∞')],
    [-Infinity, counts[1], tr('{0} of {1} cells is −∞'), tr('{0} of {1} cells are −∞')]];
  return words.filter(([, count]) => count > 0).map(([value, count, single, several]) => {
    const swatch = element('canvas', {class: 'hatch', 'aria-hidden': 'true'});
    paintCells(sized(swatch, 22, 12), {rows: 1, columns: 1, seen: [1], values: [value]}, site, {x: 0, y: 0, width: 22, height: 12});
    return element('span', {class: 'not-finite'}, swatch, ' ', fill(count === 1 ? single : several, grouped(count), grouped(map.values.length)));
  });
}

// The scale below the picture, what hatching means, and how many cells hold no finite number.
export function drawLegend() {
  const site = shownSite(), ends = site.range.map((end) => String(Number(end.toPrecision(3))));
  const bar = element('canvas', {class: 'ramp', 'aria-hidden': 'true'}), hatch = element('canvas', {class: 'hatch', 'aria-hidden': 'true'});
  const columns = 64, ramp = {rows: 1, columns, seen: new Uint8Array(columns).fill(1),
                              values: Float32Array.from({length: columns}, (_, i) => site.range[0] + (site.range[1] - site.range[0]) * i / (columns - 1))};
  paintCells(sized(bar, 128, 10), ramp, site, {x: 0, y: 0, width: 128, height: 10});
  paintCells(sized(hatch, 22, 12), {rows: 1, columns: 1, seen: [0], values: [0]}, site, {x: 0, y: 0, width: 22, height: 12});
  const masked = site.masks.some((mask) => mask !== 'all');
  const says = !site.writes ? tr('row looks at column')
    : state.written ? tr('to write the row, it looks at the column') : tr('the row, as the word read, looks at the column');
  document.getElementById('legend').replaceChildren(
      element('span', {}, says + (site.sums ? tr(', every row sums to 1') : '')),
      ...(masked ? [element('span', {}, hatch, ' ', site.masks.includes('causal') ? tr('masked: not read yet') : tr('masked cells'))] : []),
      ...countedCells(shownMap(), site),
      element('span', {class: 'scale'}, ends[0], ' ', bar, ' ', ends[1]),
      ...(state.words ? [element('span', {}, tr('pieces of a word together: the sum of the weights to them, the mean of those from them'))] : []));
}
