// Cells on a canvas: the same painting for the large map and for every small one.
import {colourOf, css, inkOn, notFinite, theme} from './colours.js';
import {cellNumber} from './numbers.js';

// A canvas of this size in CSS pixels, as sharp as the screen is.
export function sized(canvas, width, height) {
  const ratio = Math.max(1, window.devicePixelRatio || 1);
  canvas.width = Math.max(1, Math.round(width * ratio));
  canvas.height = Math.max(1, Math.round(height * ratio));
  canvas.style.width = width + 'px';
  canvas.style.height = height + 'px';
  const pen = canvas.getContext('2d');
  pen.setTransform(canvas.width / width, 0, 0, canvas.height / height, 0, 0);
  return pen;
}

// Diagonal hatching: never the colour of zero.
function hatching(pen, step) {
  const tile = document.createElement('canvas');
  tile.width = tile.height = step;
  const brush = tile.getContext('2d');
  brush.fillStyle = '#' + theme().masked;
  brush.fillRect(0, 0, step, step);
  brush.strokeStyle = '#' + theme().masked_hatch;
  brush.lineWidth = 1;
  brush.beginPath();
  for (const shift of [-step, 0, step]) {
    brush.moveTo(shift - 1, step + 1);
    brush.lineTo(shift + step + 1, -1);
  }
  brush.stroke();
  return pen.createPattern(tile, 'repeat');
}

// Paints a map into `box` {x, y, width, height}. Cells have a gap while they are larger than four pixels.
export function paintCells(pen, map, site, box, {numbers = false, dots = false, step = 8} = {}) {
  const w = box.width / map.columns, h = box.height / map.rows, gap = Math.min(w, h) > 4 ? 1 : 0;
  pen.fillStyle = hatching(pen, step);
  pen.fillRect(box.x, box.y, box.width, box.height);
  if (gap) {  // the grid goes on through the hatching
    pen.fillStyle = '#' + theme().background;
    for (let c = 1; c < map.columns; ++c) pen.fillRect(box.x + c * w - 1, box.y, 1, box.height);
    for (let r = 1; r < map.rows; ++r) pen.fillRect(box.x, box.y + r * h - 1, box.width, 1);
  }
  for (let r = 0; r < map.rows; ++r)
    for (let c = 0; c < map.columns; ++c) {
      const i = r * map.columns + c, x = box.x + c * w, y = box.y + r * h;
      if (!map.seen[i]) continue;
      if (dots) {
        dot(pen, map.values[i], site, x, y, w, h);
        continue;
      }
      const colour = colourOf(map.values[i], site);
      pen.fillStyle = css(colour);
      pen.fillRect(x, y, w - gap, h - gap);
      if (!numbers) continue;
      pen.fillStyle = inkOn(colour);
      pen.fillText(cellNumber(map.values[i]), x + w / 2, y + h / 2 + 1);
    }
}

// The dot's area is the weight; what is no finite number fills its cell.
function dot(pen, value, site, x, y, w, h) {
  pen.fillStyle = notFinite(value) ? css(colourOf(value, site)) : '#' + theme().panel;
  pen.fillRect(x, y, w - 1, h - 1);
  if (notFinite(value)) return;
  const most = Math.max(Math.abs(site.range[0]), Math.abs(site.range[1])) || 1;
  pen.fillStyle = '#' + (value < 0 ? theme().signed_high : theme().info);
  pen.beginPath();
  pen.arc(x + (w - 1) / 2, y + (h - 1) / 2, Math.min(w, h) / 2 * 0.92 * Math.sqrt(Math.min(1, Math.abs(value) / most)), 0, 7);
  pen.fill();
}

// A small map. Where a cell is smaller than a pixel, the pixel shows the largest of its cells, or one that is no finite number.
export function paintSmall(canvas, map, site, size) {
  const pen = sized(canvas, size, size), pixels = canvas.width;
  if (Math.max(map.rows, map.columns) <= pixels)
    return paintCells(pen, map, site, {x: 0, y: 0, width: size, height: size}, {step: 4});
  const rows = Math.min(map.rows, pixels), columns = Math.min(map.columns, pixels);
  const small = {rows, columns, values: new Float32Array(rows * columns), seen: new Uint8Array(rows * columns)};
  for (let r = 0; r < map.rows; ++r)
    for (let c = 0; c < map.columns; ++c) {
      const i = r * map.columns + c, to = Math.floor(r * rows / map.rows) * columns + Math.floor(c * columns / map.columns);
      if (!map.seen[i]) continue;
      const kept = small.seen[to] ? small.values[to] : -Number.MAX_VALUE, value = map.values[i];
      small.seen[to] = 1;
      small.values[to] = notFinite(value) !== notFinite(kept) ? (notFinite(value) > notFinite(kept) ? value : kept) : Math.max(kept, value);
    }
  paintCells(pen, small, site, {x: 0, y: 0, width: size, height: size}, {step: 4});
}
