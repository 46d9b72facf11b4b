// The card that asks "is this right?": the exact fields, the server's picture of the page, yes and change.

import { h, once } from './dom.js';
import { get } from './rpc.js';
import { waiting } from './turns.js';
import { lang, t, time } from './words.js';

export function approvalCard(turn, part, context) {
  const { approval } = part;
  const catalogue = context.catalogue();
  const title = catalogue?.title(approval.tool) ?? approval.tool;
  if (!waiting(turn) || part.decided !== null) {
    return h('p', { class: 'note' }, t(part.decided ? 'approved' : 'superseded'));
  }
  const yes = once(() => context.conversation().decide(turn, true));
  const no = once(() => context.conversation().decide(turn, false));
  const expires = approval.expires_at && h('p', { class: 'fine' }, t('until', { time: time(approval.expires_at) }));
  return h(
    'section',
    { class: 'card approval', 'aria-label': t('check') },
    h('h2', {}, t('check')),
    h('h3', {}, title),
    h(
      'div',
      { class: 'sides' },
      fieldList(catalogue?.fields(approval.tool) ?? [], approval.arguments),
      picture(catalogue?.letterType(approval.tool), approval.arguments, title),
    ),
    h(
      'div',
      { class: 'actions' },
      h('button', { class: 'primary', type: 'button', onclick: yes, 'data-act': 'yes' }, t('yes')),
      h('button', { type: 'button', onclick: () => context.onEdit(turn), 'data-act': 'edit' }, t('edit')),
      h('button', { class: 'quiet', type: 'button', onclick: no, 'data-act': 'no' }, t('no')),
    ),
    expires,
  );
}

/** Labels and values in the schema's order; what the schema doesn't know comes last. */
export function fieldList(fields, values) {
  const labels = new Map(fields.map((field) => [field.name, field.label]));
  const names = [...fields.map((field) => field.name).filter((name) => name in values)];
  names.push(...Object.keys(values).filter((name) => !labels.has(name)));
  return h(
    'dl',
    { class: 'fields' },
    names
      .filter((name) => values[name] !== null && values[name] !== '')
      .map((name) => h('div', {}, h('dt', {}, labels.get(name) ?? name), h('dd', {}, shown(values[name])))),
  );
}

const shown = (value) => (typeof value === 'object' ? JSON.stringify(value) : String(value));

/** The server's drawing of the draft; it lives in memory only. */
function picture(letterType, data, title) {
  const frame = h('figure', { class: 'preview' }, h('figcaption', { class: 'sr-only' }, t('preview')), h('span', { class: 'dots' }));
  load(letterType, data)
    .then((url) => {
      const image = h('img', { src: url, alt: t('preview_alt', { title }), lang: lang() });
      image.addEventListener('load', () => URL.revokeObjectURL(url), { once: true });
      frame.replaceChildren(image);
    })
    .catch((error) => frame.replaceChildren(h('p', { class: 'note' }, error.userMessage || t('no_preview'))));
  return frame;
}

async function load(letterType, data) {
  const body = JSON.stringify({ letter_type: letterType, data });
  const response = await get('/preview', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
  return URL.createObjectURL(await response.blob());
}
