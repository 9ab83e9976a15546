// The numbers of the page: how they were packed, words made of pieces, and how a number is written.

export function bytesOf(base64) {
  const text = atob(base64), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes;
}

// IEEE 754 binary16.
export function fromFloat16(bits) {
  const sign = bits & 0x8000 ? -1 : 1, exponent = bits >> 10 & 31, fraction = bits & 1023;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return exponent ? sign * 2 ** (exponent - 25) * (1024 + fraction) : sign * 2 ** -24 * fraction;
}

// Which cells may be looked at: "all", "causal", or one bit a cell, row by row, the lowest bit first.
export function seenCells(mask, rows, columns) {
  const seen = new Uint8Array(rows * columns);
  if (mask === 'all') return seen.fill(1);
  const bits = mask === 'causal' ? null : bytesOf(mask);
  for (let r = 0; r < rows; ++r)
    for (let c = 0; c < columns; ++c) {
      const i = r * columns + c;
      seen[i] = bits ? bits[i >> 3] >> (i & 7) & 1 : c <= r ? 1 : 0;
    }
  return seen;
}

// The maps [layers x heads] of one kind of attention. Only cells that may be looked at are stored.
export class Maps {
  constructor(raw) {
    Object.assign(this, raw);
    this.count = raw.layers * raw.heads;
    this.bytes = bytesOf(raw.data);
    this.seen = raw.masks.map((mask) => seenCells(mask, raw.rows, raw.columns));
    const stored = this.seen.map((cells) => cells.reduce((sum, one) => sum + one, 0));
    this.begins = [0];
    for (let i = 0; i < this.count; ++i) this.begins.push(this.begins[i] + stored[this.maskOf(i)]);
    this.decoded = new Map();
  }
  maskOf(map) {
    return this.mask_of ? this.mask_of[map] : 0;
  }
  // {rows, columns, values, seen} of one head; values of cells that may not be looked at are 0.
  map(layer, head) {
    const at = layer * this.heads + head;
    if (!this.decoded.has(at)) this.decoded.set(at, this.decode(at));
    return this.decoded.get(at);
  }
  decode(at) {
    const seen = this.seen[this.maskOf(at)], values = new Float32Array(seen.length), bytes = new DataView(this.bytes.buffer);
    const read = {
      bytes: (i) => bytes.getUint8(i) / 255 * this.largest[at],
      float16: (i) => fromFloat16(bytes.getUint16(2 * i, true)),
      float32: (i) => bytes.getFloat32(4 * i, true),
    }[this.kind];
    let from = this.begins[at];
    for (let i = 0; i < seen.length; ++i)
      if (seen[i]) values[i] = read(from++);
    return {rows: this.rows, columns: this.columns, values, seen};
  }
}

// Groups of pieces: [[0], [1, 2], ...]. joins[i] says that piece i continues the word before it.
export function groupsOf(joins, words) {
  const groups = [];
  joins.forEach((joined, i) => {
    if (words && joined && i > 0) groups[groups.length - 1].push(i);
    else groups.push([i]);
  });
  return groups;
}

// A map of words: the weight to a word is the sum over its pieces, the weight from it the mean over its pieces' rows, so that rows
// still sum to 1. A piece that sees nothing at all does not count in the mean. The window's rule: engine/insight/word_groups.h.
export function mapOfWords(map, rowGroups, columnGroups) {
  if (rowGroups.length === map.rows && columnGroups.length === map.columns) return map;
  const rows = rowGroups.length, columns = columnGroups.length;
  const values = new Float32Array(rows * columns), seen = new Uint8Array(rows * columns);
  rowGroups.forEach((group, r) => {
    const sums = new Float64Array(columns);
    let looking = 0;
    for (const row of group) {
      let sees = 0;
      columnGroups.forEach((pieces, c) => {
        for (const piece of pieces) {
          const i = row * map.columns + piece;
          if (!map.seen[i]) continue;
          sees = seen[r * columns + c] = 1;
          sums[c] += map.values[i];
        }
      });
      looking += sees;
    }
    sums.forEach((sum, c) => { values[r * columns + c] = sum / Math.max(1, looking); });
  });
  return {rows, columns, values, seen};
}

// The largest cell of a row; -1: the row sees nothing. The first column counts only where nothing else does, if butFirst.
export function strongest(map, row, butFirst = false) {
  let best = -1;
  for (let c = 0; c < map.columns; ++c) {
    const i = row * map.columns + c;
    if (!map.seen[i] || (butFirst && c === 0)) continue;
    if (best < 0 || map.values[i] > map.values[row * map.columns + best]) best = c;
  }
  return best < 0 && butFirst ? strongest(map, row) : best;
}

// ".87", "1", "-.2", "12.3": as in the window, without a zero before the point.
export function cellNumber(value, decimals = 2) {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '−∞';
  const size = Math.abs(value);
  if (size >= 1000) return value.toPrecision(3);
  const text = value.toFixed(size >= 10 ? Math.max(0, decimals - 1) : decimals);
  if (Math.abs(value - 1) < 1e-5) return '1';
  return text.replace(/^(-?)0\./, '$1.');
}

export function percent(share) {
  return (100 * share).toFixed(share < 0.0995 ? 1 : share > 0.9995 ? 0 : 1);
}

// Labels of which all are different: the second "the" is "the₂".
export function numbered(labels) {
  const count = new Map(), at = new Map();
  for (const label of labels) count.set(label, (count.get(label) || 0) + 1);
  return labels.map((label) => {
    if (count.get(label) < 2) return label;
    at.set(label, (at.get(label) || 0) + 1);
    return label + String(at.get(label)).replace(/\d/g, (digit) => String.fromCharCode(0x2080 + Number(digit)));
  });
}
