// The letter that was issued: number, date, QR code, printing. The file itself stays with the daemon.

import { h, once, settle } from './dom.js';
import { named } from './glossary.js';
import { openLetter, printLetter, printTicket } from './print.js';
import { get } from './rpc.js';
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
    { class: 'card letter', tabindex: '-1', 'aria-label': t('letter_ready') },
    h('h2', {}, t('letter_ready')),
    h(
      'div',
      { class: 'sides' },
      h(
        'div',
        {},
        h('h3', {}, named(letter.title)),
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
    settle(h('div', { class: 'actions' }, buttons(turn, part, context, guarded))),
    state,
  );
}

function buttons(turn, { letter, artifact }, context, guarded) {
  const list = [];
  if (context.printing === 'desk') {
    const act = guarded(() => printTicket(letter));
    list.push(h('button', { class: 'primary', type: 'button', onclick: act, 'data-act': 'ticket' }, t('ticket')));
  } else if (artifact) {
    const print = guarded(() => printLetter(turn.runId, artifact.name));
    list.push(h('button', { class: 'primary', type: 'button', onclick: print, 'data-act': 'print' }, t('print')));
  }
  if (context.onFinish) {
    list.push(h('button', { type: 'button', onclick: context.onFinish, 'data-act': 'finish' }, t('idle_leave')));
  }
  if (context.onAnother) {
    list.push(h('button', { type: 'button', onclick: context.onAnother, 'data-act': 'another' }, t('another')));
  }
  if (context.mayOpen && artifact) {
    const file = `/artifacts/${encodeURIComponent(turn.runId)}/${encodeURIComponent(artifact.name)}`;
    const open = guarded(() => openLetter(get(file).then((response) => response.blob())));
    list.push(h('button', { type: 'button', onclick: open, 'data-act': 'open' }, t('open')));
  }
  return list;
}
