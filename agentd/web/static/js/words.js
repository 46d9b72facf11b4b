// What the citizens' pages say, in the chosen language: from the daemon's texts, one file a language. It knows no word.

import { OPENING, TEXTS, ZONE } from './texts.js';

const CODES = Object.keys(TEXTS);
export const OFFICE = CODES[0]; // what the office itself writes
let language = OPENING;
let chosen = false;

export const lang = () => language;

/** The language the person chose, or undefined: then the agent answers in the language it is spoken to. */
export const chosenLanguage = () => (chosen ? language : undefined);

export function speakIn(code, { byHand = false } = {}) {
  language = CODES.includes(code) ? code : OPENING;
  chosen ||= byHand;
  document.documentElement.lang = language;
}

/** What a button says that changes to the next language: its own name, and its code. */
export function nextLanguage() {
  const code = CODES[(CODES.indexOf(language) + 1) % CODES.length];
  return { code, name: TEXTS[code].language };
}

/** Puts the chosen language's words on a page, and the next one's name on the button that changes to it. */
export function writeWords(title = 'office') {
  document.title = t(title);
  for (const node of document.querySelectorAll('[data-t]')) node.textContent = t(node.dataset.t);
  const { code, name } = nextLanguage();
  const button = document.querySelector('#language');
  if (!button) return;
  button.textContent = name;
  button.lang = code;
}

/** An officers' page in the language that its address asks for, which its links to the others keep. */
export function speakAsAsked(title) {
  speakIn(new URLSearchParams(location.search).get('lang'));
  writeWords(title);
  document.querySelector('nav').setAttribute('aria-label', t('ask_pages'));
  for (const link of document.querySelectorAll('nav a')) link.setAttribute('href', link.getAttribute('href') + location.search);
}

/** A word of one of the texts' tables: `said('tools', name)`; undefined where the table hasn't it. */
export const said = (table, name) => TEXTS[language][table]?.[name];

/** What the office's own word means in the page's language, where that is known. */
export const meaning = (term) => said('terms', term);

/** An office's own word has these meanings by language, unless the texts have one. */
export function learn(term, meanings = {}) {
  for (const [code, said] of Object.entries(meanings)) if (said && TEXTS[code]?.terms) TEXTS[code].terms[term] ??= said;
}

/** t('until', {time: '10.15'}) */
export function t(key, values = {}) {
  return (TEXTS[language][key] ?? key).replace(/\{(\w+)\}/g, (_, name) => values[name] ?? '');
}

/** "Memeriksa jam…" for a tool's name; `title` is the server's own. */
export function doing(tool, title) {
  const bare = tool.split('__').pop();
  const known = said('tools', bare) ?? (bare.startsWith('generate_') ? said('tools', 'generate_') : null);
  return known ?? t('doing', { tool: title ?? bare.replaceAll('_', ' ') });
}

/** The language with its region, then the office's, for a browser that doesn't know it. */
export const locales = () => [TEXTS[language].locale, TEXTS[OFFICE].locale];

/** A date such as "21 November 2026", whatever the clock of this machine says. */
export function day(iso) {
  const date = new Date(`${iso.slice(0, 10)}T12:00:00Z`);
  if (Number.isNaN(date.getTime())) return iso;
  return new Intl.DateTimeFormat(locales(), { dateStyle: 'long', timeZone: 'UTC' }).format(date);
}

export function time(iso) {
  return new Intl.DateTimeFormat(locales(), { timeStyle: 'short', timeZone: ZONE }).format(new Date(iso));
}
