// The page's language, and elements made of texts. Texts become text nodes, never markup.
import {data} from './state.js';

// Whether the page is on a phone, as the style sheet has it.
export const narrow = () => matchMedia('(max-width: 700px)').matches;

export function tr(english) {
  return data.words[english] || english;
}

// fill('{0} of {1}', 3, 9) is "3 of 9".
export function fill(text, ...values) {
  return text.replace(/\{(\d)\}/g, (whole, digit) => values[digit] === undefined ? whole : values[digit]);
}

// element('p', {class: 'quiet', onclick: f}, 'text', other): an element with its attributes and children.
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, '');
    else if (value !== false && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

// A token: set apart from the words around it, whatever direction its own letters have.
export const token = (text, lit = false) => element('bdi', {class: lit ? 'token lit' : 'token'}, text);

// Replaces an element's children by a text whose places stand for nodes.
export function say(target, text, ...values) {
  target.replaceChildren(...text.split(/(\{\d\})/).map((part) => {
    const place = /^\{(\d)\}$/.exec(part);
    return place ? values[place[1]] : part;
  }));
}
