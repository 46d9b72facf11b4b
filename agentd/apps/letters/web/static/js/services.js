// The kiosk's large buttons: the two ways in, then the letters that the visitor's level may have. It calls nobody.

import { h } from './dom.js';
import { named } from './glossary.js';
import { t } from './words.js';

const LEVELS = ['declared', 'officer', 'pin', 'card+pin']; // as the daemon orders them

/** Signing in, or going on without. */
export function entrance({ onSignIn, onWithout }) {
  return [
    card('✓', t('sign_in'), t('sign_in_why'), { id: 'sign-in', class: 'service way', onclick: onSignIn }),
    card('›', t('without_pin'), t('without_pin_why'), { id: 'without-pin', class: 'service way', onclick: onWithout }),
  ];
}

/** A button for each letter; `level` is how sure it is who asks, `withheld` says why one can't be had. `signIn` is there where one can still sign in. */
export function letterCards(letters, level, { onLetter, signIn, withheld }) {
  return letters.map((letter) => {
    const needs = withheld[letter.tool] ? 'withheld' : what(letter.assurance ?? 'declared', letter.declares ? 'declared' : level);
    const act = { now: onLetter, officer_first: onLetter, pin_first: signIn }[needs];
    const attributes = { class: 'service', 'data-letter': letter.letter_type, 'data-needs': needs, disabled: !act, onclick: () => act?.(letter) };
    const hint = withheld[letter.tool] ?? (needs === 'now' ? level !== 'declared' && t('issued_now') : t(needs));
    return card(initials(letter.title), named(letter.title), hint, attributes);
  });
}

/** What stands between this level and the letter: now | officer_first | pin_first | card_first. */
function what(least, level) {
  if (LEVELS.indexOf(level) >= LEVELS.indexOf(least)) return 'now';
  if (least === 'officer') return 'officer_first';
  return least === 'pin' ? 'pin_first' : 'card_first';
}

export function card(mark, title, hint, attributes) {
  const words = h('span', {}, h('strong', {}, title), hint && h('span', { class: 'hint' }, hint));
  return h('button', { type: 'button', ...attributes }, h('span', { class: 'service-mark', 'aria-hidden': 'true' }, mark), words);
}

const initials = (title) =>
  title
    .split(' ')
    .filter((word) => !/^(surat|keterangan|letter|of)$/i.test(word))
    .map((word) => word[0])
    .join('')
    .slice(0, 2)
    .toUpperCase();
