// The office's letters and their fields, as the daemon's servers list them. Nothing about a letter is written here.

import { call } from './rpc.js';
import { learn } from './words.js';

/**
 * {letters: [{letter_type, title, tool, description, assurance, requirements}], fields(tool), title(tool), letterType(tool) of a letter, ask(tool, input), questions, staff}
 * `ask` calls a tool of the office's letter server, whatever other servers offer under that name.
 * `questions`: what staff may ask, of `analytics` and `graph`. `staff`: who may, or sees a tool that is staff's alone, is staff.
 * A field: {name, label, kind, hint, choices, required, fallback, source} in the schema's order.
 */
export async function loadCatalogue(signal) {
  const { tools, letters_server: server, questions } = await call('Tools.list', {}, { signal });
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const own = new Set(tools.filter((tool) => tool.server === server).map((tool) => tool.name.replace(`${server}__`, '')));
  const ask = (tool, input = {}, given = {}) => call('Tools.call', { tool, input, server }, given);
  const listed = own.has('list_letters') ? ((await ask('list_letters', {}, { signal })).output?.letters ?? []) : [];
  const facts = new Map((await call('Letters.list', {}, { signal })).letters.map((letter) => [letter.tool, letter]));
  const letters = listed.map((letter) => ({ ...facts.get(letter.tool), ...letter }));
  for (const { title, titles, terms } of letters) {
    learn(title, titles);
    for (const [code, words] of Object.entries(terms ?? {})) for (const [word, said] of Object.entries(words)) learn(word, { [code]: said });
  }
  return {
    letters: letters.filter((letter) => own.has(letter.tool)),
    ask,
    questions,
    staff: own.has('void_letter') || questions.length > 0,
    fields: (tool) => fieldsOf(byName.get(tool)?.input_schema),
    title: (tool) => byName.get(tool)?.annotations?.title ?? tool.replaceAll('_', ' '),
    letterType: (tool) => letters.find((letter) => letter.tool === tool)?.letter_type,
  };
}

function fieldsOf(schema) {
  const required = new Set(schema?.required ?? []);
  return Object.entries(schema?.properties ?? {}).map(([name, rule]) => ({
    name,
    label: rule.title ?? name.replaceAll('_', ' '),
    kind: rule.enum ? 'choice' : (rule.format ?? 'text'),
    hint: rule.description ?? '',
    choices: rule.enum ?? [],
    required: required.has(name),
    fallback: rule.default ?? '',
    source: rule['x-agentd-source'] ?? '',
  }));
}

const LONGEST = { nik: 16, kk: 16, rt: 3, rw: 3, phone: 16, date: 10 };
export const DIGITS = new Set(Object.keys(LONGEST));

export const longest = (field) => LONGEST[field.kind] ?? 200;

/** What was typed, in the form the office writes it: "5011990" stays, "05011990" becomes "05-01-1990". */
export function tidied(field, text) {
  const plain = text.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ').slice(0, 400);
  if (!DIGITS.has(field.kind)) return plain.slice(0, longest(field));
  const digits = plain.replace(/\D/g, '');
  if (field.kind === 'date') {
    return [digits.slice(0, 2), digits.slice(2, 4), digits.slice(4, 8)].filter(Boolean).join('-');
  }
  return digits.slice(0, longest(field));
}

/** Why a value can't be right yet; '' when it may go to the office, which judges it for good. */
export function isComplete(field, value) {
  if (!value.trim()) return !field.required;
  if (field.kind === 'nik' || field.kind === 'kk') return value.length === 16;
  if (field.kind === 'date') return /^\d\d-\d\d-\d{4}$/.test(value);
  return true;
}

/** The citizen's own words for a filled form: one line a field, as the daemon's evidence reads them. */
export function spoken(fields, values) {
  return fields
    .filter((field) => values[field.name]?.trim())
    .map((field) => `${field.label}: ${values[field.name].trim()}`)
    .join('\n');
}
