// The sentence as chips: the piece above, its id below. Two texts stand in two rows.
import {hue} from './colours.js';
import {columnText, groups, labels, lookAt, lookFrom, rowText, shownRun, shownSite, state} from './state.js';
import {percent} from './numbers.js';
import {element, tr} from './words.js';

export function drawChips() {
  const site = shownSite(), texts = site.rows_of === site.columns_of ? [[rowText(), 'both']] : [[columnText(), 'column'], [rowText(), 'row']];
  document.getElementById('chips').replaceChildren(...texts.map(([text, axis]) => {
    const name = axis === 'both' ? '' : axis === 'row' ? tr('looks') : tr('is looked at');
    return element('div', {class: 'sentence', 'data-axis': axis, role: 'group', 'aria-label': name || tr('the sentence')},
                   ...(name ? [element('span', {class: 'quiet name'}, name)] : []), ...chipsOf(text, axis),
                   ...(axis !== 'column' && site.rows_of === shownRun().texts.length - 1 ? nextChip() : []));
  }));
  lightChips();
}

function chipsOf(text, axis) {
  const shown = labels(text);
  return groups(text).map((group, i) => {
    const ids = text.ids ? group.map((piece) => text.ids[piece]).join(' ') : '';
    const chip = element('button', {type: 'button', class: 'chip', 'data-index': i, onclick: () => axis === 'column' ? lookAt(i) : lookFrom(i)},
                         element('bdi', {}, shown[i]), ...(ids ? [element('small', {}, ids)] : []));
    chip.style.setProperty('--hue', hue(i));
    return chip;
  });
}

// What the model expects to follow.
function nextChip() {
  const next = shownRun().next, candidate = next?.best[Math.min(state.next, next.best.length - 1)];
  if (!candidate) return [];
  return [element('span', {class: 'chip next', title: tr('the likeliest next word')}, element('bdi', {}, candidate[0]),
                  element('small', {}, percent(candidate[1]) + ' %'))];
}

export function lightChips() {
  for (const row of document.querySelectorAll('#chips .sentence'))
    for (const chip of row.querySelectorAll('button.chip')) {
      const i = Number(chip.dataset.index), axis = row.dataset.axis;
      chip.classList.toggle('lit', (axis !== 'column' && i === state.row) || (axis !== 'row' && i === state.column));
    }
}
