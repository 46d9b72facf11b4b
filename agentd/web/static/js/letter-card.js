// The letter that was issued: number, date, QR code, printing. The file itself stays with the daemon.

import { h, once } from './dom.js';
import { openLetter, printLetter, printTicket } from './print.js';
import { day, t } from './words.js';

export function letterCard(turn, part, context) {
  const { letter } = part;
  const state = h('p', { class: 'note', role: 'status' });
  const guarded = (act) =>
    once(async () => {
      state.textContent = t('printing');
      try {
        await act();
        state.textContent = '';
      } catch (error) {
        state.textContent = error.userMessage || t('problem');
      }
    });
  return h(
    'section',
    { class: 'card letter', 'aria-label': t('letter_ready') },
    h('h2', {}, t('letter_ready')),
    h(
      'div',
      { class: 'sides' },
      h(
        'div',
        {},
        h('h3', {}, letter.title),
        h(
          'dl',
          { class: 'fields' },
          h('div', {}, h('dt', {}, t('number')), h('dd', { class: 'number' }, letter.number)),
          h('div', {}, h('dt', {}, t('date')), h('dd', {}, day(letter.date))),
        ),
      ),
      h(
        'figure',
        { class: 'qr' },
        h('img', { src: `/qr.svg?text=${encodeURIComponent(letter.verify_url)}`, alt: t('qr_alt'), width: 180, height: 180 }),
        h('figcaption', {}, t('scan')),
      ),
    ),
    h('div', { class: 'actions' }, buttons(turn, part, context, guarded)),
    state,
  );
}

function buttons(turn, { letter, artifact }, context, guarded) {
  if (context.printing === 'desk') {
    const act = guarded(() => printTicket(letter));
    return h('button', { class: 'primary', type: 'button', onclick: act, 'data-act': 'ticket' }, t('ticket'));
  }
  if (!artifact) return null;
  const print = guarded(() => printLetter(turn.runId, artifact.name));
  const list = [h('button', { class: 'primary', type: 'button', onclick: print, 'data-act': 'print' }, t('print'))];
  if (context.mayOpen) {
    const file = `/artifacts/${encodeURIComponent(turn.runId)}/${encodeURIComponent(artifact.name)}`;
    list.push(h('button', { type: 'button', onclick: guarded(() => openLetter(file)), 'data-act': 'open' }, t('open')));
  }
  return list;
}
