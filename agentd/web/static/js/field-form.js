// The form of a letter's fields, for touch and for keys. It checks only what can't be right yet; the office judges.

import { $, h } from './dom.js';
import { inWords, named } from './glossary.js';
import { DIGITS, isComplete, longest, tidied } from './letters.js';
import { t } from './words.js';

/**
 * A form over `fields` with `values` filled in; onSubmit(values, changed) gets every value and those that differ from
 * the start, onCancel() nothing. `typed` is what was typed so far, kept up to date by the form. `missing` names fields to be marked; `onScreen` keeps the device's keyboard away.
 */
export function fieldForm({ title, fields, values = {}, typed = {}, missing = [], submitLabel, onScreen, onSubmit, onCancel }) {
  const start = Object.fromEntries(fields.map((field) => [field.name, String(values[field.name] ?? '')]));
  const now = { ...start, ...typed };
  const note = h('p', { class: 'note', role: 'alert', id: 'form-note' });
  const progress = h('progress', { 'aria-label': t('known'), max: fields.filter((field) => field.required).length });
  // What the office already took ("15 Januari 1990") stands as it is; only what is typed here is checked.
  const complete = (field) => {
    const value = now[field.name];
    return value.trim() && value === start[field.name] ? true : isComplete(field, value);
  };
  const count = () => {
    progress.value = fields.filter((field) => field.required && complete(field)).length;
  };
  const set = (field, value, input) => {
    now[field.name] = typed[field.name] = tidied(field, value);
    if (input && input.value !== now[field.name]) input.value = now[field.name];
    $(`[data-field="${CSS.escape(field.name)}"]`, form)?.classList.remove('missing', 'wrong');
    count();
  };
  const row = (field) => {
    const draw = field.kind === 'choice' ? choiceRow : textRow;
    return draw(field, now[field.name], missing.includes(field.name), onScreen, (value, input) => set(field, value, input));
  };
  const needed = fields.filter((field) => field.required || now[field.name]);
  const others = fields.filter((field) => !needed.includes(field));

  const submit = (event) => {
    event.preventDefault();
    const open = fields.filter((field) => !complete(field));
    for (const field of fields) mark(form, field, open.includes(field));
    if (open.length) {
      note.textContent = t('still_missing', { fields: open.map((field) => inWords(field.label)).join(', ') });
      focusField(form, open[0].name);
      return;
    }
    onSubmit(now, Object.fromEntries(fields.filter((field) => now[field.name] !== start[field.name]).map((field) => [field.name, now[field.name]])));
  };

  const form = h(
    'form',
    { class: 'field-form', autocomplete: 'off', novalidate: true, onsubmit: submit, 'aria-label': inWords(title) },
    h(
      'div',
      { class: 'form-head' },
      h('button', { type: 'button', class: 'back', onclick: onCancel, 'data-act': 'cancel' }, t('back')),
      h('h1', { tabindex: '-1' }, named(title)),
    ),
    progress,
    h('div', { class: 'rows' }, needed.map(row)),
    others.length > 0 && h('details', {}, h('summary', {}, t('optional')), h('div', { class: 'rows' }, others.map(row))),
    note,
    h('div', { class: 'actions' }, h('button', { class: 'primary', 'data-act': 'submit' }, submitLabel)),
  );
  count();
  return form;
}

/** Puts the cursor into a field, or on its first choice. */
export function focusField(form, name) {
  const input = $(`[name="${CSS.escape(name)}"]`, form);
  input?.closest('details')?.setAttribute('open', '');
  input?.focus();
  input?.closest('.field')?.scrollIntoView({ block: 'center' });
}

function mark(form, field, wrong) {
  const row = $(`[data-field="${CSS.escape(field.name)}"]`, form);
  row.classList.toggle('wrong', wrong);
  $('input', row).setAttribute('aria-invalid', String(wrong));
}

const SUGGESTED = {
  keperluan: ['Melamar pekerjaan', 'Mendaftar sekolah', 'Membuka rekening bank', 'Mengurus BPJS', 'Mengajukan beasiswa', 'Mengurus KTP atau KK'],
};
const HINTS = { nik: 'nik_hint', kk: 'nik_hint', date: 'date_hint' };

function textRow(field, value, missing, onScreen, set) {
  const id = `field-${field.name}`;
  const hint = HINTS[field.kind] ? t(HINTS[field.kind]) : inWords(field.hint);
  const input = h('input', {
    id,
    name: field.name,
    value,
    autocomplete: 'off',
    spellcheck: 'false',
    autocapitalize: field.kind === 'person-name' ? 'words' : 'off',
    maxlength: String(longest(field)),
    inputmode: onScreen ? 'none' : DIGITS.has(field.kind) ? 'numeric' : 'text',
    'data-keys': DIGITS.has(field.kind) ? 'digits' : 'letters',
    required: field.required,
    'aria-describedby': hint ? `${id}-hint` : null,
    oninput: (event) => set(event.target.value, event.target),
  });
  return h(
    'div',
    { class: `field ${field.kind}${missing ? ' missing' : ''}`, 'data-field': field.name },
    h('label', { for: id }, named(field.label)),
    input,
    hint && h('span', { class: 'hint', id: `${id}-hint` }, hint),
    suggestions(field.name, (text) => {
      input.value = text;
      set(text, input);
    }),
  );
}

/** What most people say there, to be tapped. */
function suggestions(name, choose) {
  const texts = SUGGESTED[name];
  if (!texts) return null;
  const button = (text) => h('button', { type: 'button', onclick: () => choose(text), 'data-act': 'suggest' }, named(text));
  return h('div', { class: 'suggested', role: 'group', 'aria-label': t('suggested') }, texts.map(button));
}

function choiceRow(field, value, missing, onScreen, set) {
  const chosen = value || field.fallback; // a default is shown, but nobody has said it
  return h(
    'fieldset',
    { class: `field choice${missing ? ' missing' : ''}`, 'data-field': field.name },
    h('legend', {}, named(field.label)),
    h(
      'div',
      { class: 'choices' },
      field.choices.map((choice) =>
        h(
          'label',
          {},
          h('input', { type: 'radio', name: field.name, value: choice, checked: choice === chosen, onchange: () => set(choice) }),
          h('span', {}, h('span', {}, named(choice))),
        ),
      ),
    ),
  );
}
