// What the model expects to follow, and after which layer it expects so (the logit lens).
import {colourOf, css, inkOn} from './colours.js';
import {cellNumber, percent} from './numbers.js';
import {change, groups, rowText, shownRun, shownSite, state} from './state.js';
import {element, fill, say, token, tr} from './words.js';

export function drawNext() {
  const host = document.getElementById('next'), next = shownRun().next;
  host.hidden = !next;
  if (!next) return;
  const largest = next.best[0][1];
  const rows = next.best.map(([piece, share], i) => {
    const bar = element('i', {class: 'fill'});
    bar.style.width = 100 * share / largest + '%';
    return element('li', {}, element('button', {type: 'button', class: i === state.next ? 'lit' : '', onclick: () => change({next: i})},
                                     element('span', {class: 'rank'}, String(i + 1)), element('bdi', {class: 'what token'}, piece),
                                     element('span', {class: 'bar'}, bar), element('span', {class: 'mono'}, percent(share) + ' %')));
  });
  const rest = 1 - next.best.reduce((sum, one) => sum + one[1], 0);
  const quiet = element('span', {class: 'quiet'});
  say(quiet, tr('after {0}'), token(next.after));
  host.replaceChildren(element('h2', {}, tr('The next word'), ' ', quiet), element('ol', {class: 'list'}, ...rows),
                       element('p', {class: 'quiet rest'}, element('span', {}, fill(tr('{0} others'), next.others.toLocaleString('en'))),
                               element('span', {class: 'mono'}, percent(Math.max(0, rest)) + ' %')));
}

// A row a layer, 0 the embedding; two columns: after the lit word, and after the last one.
export function drawLens() {
  const host = document.getElementById('lens'), lens = shownRun().lens;
  const text = lens && shownRun().texts[lens.of];
  host.hidden = !lens || shownSite().rows_of !== lens.of;
  if (host.hidden) return;
  const lit = groups(text)[Math.min(state.row, groups(text).length - 1)], last = text.pieces.length - 1;
  const places = [...new Set([lit[lit.length - 1], last])].filter((place) => place < lens.positions);
  const unit = {range: [0, 1], is_signed: false};
  const head = element('tr', {}, element('td'), ...places.map((place) => {
    const cell = element('th', {scope: 'col'});
    say(cell, tr('after {0}'), token(text.pieces[place], place !== last));
    return cell;
  }));
  const body = [];
  for (let layer = 0; layer < lens.rows; ++layer) {
    const cells = places.map((place) => {
      const i = layer * lens.positions + place, colour = colourOf(lens.shares[i], unit), share = element('span', {}, cellNumber(lens.shares[i]));
      const cell = element('td', {}, element('div', {}, element('bdi', {}, lens.pieces[lens.tokens[i]]), share));
      Object.assign(cell.style, {background: css(colour), color: inkOn(colour)});
      return cell;
    });
    body.push(element('tr', {}, element('th', {scope: 'row'}, String(layer)), ...cells));
  }
  host.replaceChildren(element('h2', {}, tr('Logit lens'), ' ', element('span', {class: 'quiet'}, tr('top piece after each layer'))),
                       element('div', {class: 'lens'}, element('table', {}, element('thead', {}, head), element('tbody', {}, ...body))));
  const scroll = host.querySelector('.lens');
  scroll.scrollTop = scroll.scrollHeight;
}
