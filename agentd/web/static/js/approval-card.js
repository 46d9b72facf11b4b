// The card that asks "is this right?": the exact fields, the server's picture of the page, yes and change.

import { h, once, settle } from './dom.js';
import { inWords, named } from './glossary.js';
import { requestCard } from './request-card.js';
import { get } from './rpc.js';
import { waiting } from './turns.js';
import { day, lang, t, time } from './words.js';

export function approvalCard(turn, part, context) {
  const { approval } = part;
  const catalogue = context.catalogue();
  const title = catalogue?.title(approval.tool) ?? approval.tool;
  const letterType = catalogue?.letterType(approval.tool);
  if (!waiting(turn) || part.decided !== null) {
    return h('p', { class: 'note' }, t(part.decided ? 'approved' : 'superseded'));
  }
  const fields = fieldList(catalogue?.fields(approval.tool) ?? [], approval.arguments, approval.sources);
  const yes = once(() => context.conversation().decide(turn, approval, true));
  const no = once(() => context.conversation().decide(turn, approval, false));
  const actions = h(
    'div',
    { class: 'actions' },
    h('button', { class: 'primary', type: 'button', onclick: yes, 'data-act': 'yes' }, t('yes')),
    h('button', { type: 'button', onclick: () => context.onEdit(turn), 'data-act': 'edit' }, t('edit')),
    h('button', { class: 'quiet', type: 'button', onclick: no, 'data-act': 'no' }, t('no')),
  );
  const heading = t(turn.forStaff ? 'with_officer' : 'check');
  const expires = approval.expires_at && h('p', { class: 'fine' }, t('until', { time: time(approval.expires_at) }));
  return h(
    'section',
    { class: 'card approval', tabindex: '-1', 'aria-label': heading },
    h('h2', {}, heading),
    h('h3', {}, named(title)),
    turn.forStaff && requestCard(turn, approval.notice ?? t('for_staff'), context.onAnother),
    letterType ? h('div', { class: 'sides' }, fields, picture(letterType, approval.arguments, title)) : fields,
    !turn.forStaff && [approval.notice && h('p', { class: 'note', role: 'status' }, approval.notice), settle(actions), expires],
  );
}

/**
 * Labels and values in the schema's order; what the schema doesn't know comes last. `sources` says where each is
 * from; where the register has no part in it, nothing need be said of that. */
export function fieldList(fields, values, sources = {}) {
  const labels = new Map(fields.map((field) => [field.name, field.label]));
  const choices = new Set(fields.flatMap((field) => field.choices));
  const said = (value) => (choices.has(value) ? named(value) : shown(value));
  const origins = Object.values(sources).includes('register') ? sources : {};
  const names = [...fields.map((field) => field.name).filter((name) => name in values)];
  names.push(...Object.keys(values).filter((name) => !labels.has(name)));
  return h(
    'dl',
    { class: 'fields' },
    names
      .filter((name) => values[name] !== null && values[name] !== '')
      .map((name) => h('div', {}, h('dt', {}, named(labels.get(name) ?? name)), h('dd', {}, said(values[name]), from(origins[name])))),
  );
}

const from = (source) => FROM[source] && h('span', { class: 'source', 'data-source': source }, t(FROM[source]));
const FROM = { register: 'from_register', citizen: 'from_citizen', applicant: 'from_applicant', officer: 'from_officer', derived: 'from_derived' };
const ISO = /^\d{4}-\d\d-\d\d$/; // a day as the register writes it
/** A value as people read it. */
export const shown = (value) => (typeof value === 'object' ? JSON.stringify(value) : ISO.test(value) ? day(value) : String(value));

/** The server's drawing of the draft; it lives in memory only. */
function picture(letterType, data, title) {
  const frame = h('figure', { class: 'preview' }, h('figcaption', { class: 'sr-only' }, t('preview')), h('span', { class: 'dots' }));
  load(letterType, data)
    .then((url) => {
      const image = h('img', { src: url, alt: t('preview_alt', { title: inWords(title) }), lang: lang() });
      image.addEventListener('load', () => URL.revokeObjectURL(url), { once: true });
      frame.replaceChildren(image, h('button', { type: 'button', onclick: () => enlarge(image), 'data-act': 'zoom' }, t('enlarge')));
    })
    .catch((error) => frame.replaceChildren(h('p', { class: 'note' }, error.userMessage || t('no_preview'))));
  return frame;
}

/** The picture as wide as the screen lets it; meanwhile its place is held, so that nothing moves when it comes back. */
function enlarge(image) {
  const place = h('div', {});
  place.style.height = `${image.offsetHeight}px`;
  image.replaceWith(place);
  const close = h('button', { type: 'button', class: 'primary', autofocus: true, onclick: () => dialog.close(), 'data-act': 'close' }, t('close'));
  const back = () => (place.replaceWith(image), dialog.remove());
  const sheet = h('div', { class: 'sheet', tabindex: '0', role: 'region', 'aria-label': t('preview') }, image);
  const dialog = h('dialog', { class: 'enlarged', 'aria-label': t('preview'), onclose: back }, sheet, close);
  document.body.append(dialog);
  dialog.showModal();
}

async function load(letterType, data) {
  const body = JSON.stringify({ letter_type: letterType, data });
  const response = await get('/preview', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
  return URL.createObjectURL(await response.blob());
}
