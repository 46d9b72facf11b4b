// The page's language beside the office's own words (letters, fields, choices, hints). A letter stays in the office's
// language, and what this page sends stays the office's wording; a word without a meaning is shown as the office has it.

import { h } from './dom.js';
import { OFFICE, lang, meaning } from './words.js';

/** The word in the page's language, as text. */
export const inWords = (term) => meaning(term) || term;

/** The word for a label: another language's with the office's own beside it, which is what the letter and the card say. */
export function named(term) {
  if (lang() === OFFICE) return term;
  const said = meaning(term);
  const own = h('span', { lang: OFFICE, class: said && said !== term ? 'term' : null }, term);
  return said && said !== term ? [said, ' ', own] : own;
}
