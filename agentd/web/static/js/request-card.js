// What a visitor takes along of a request that waits for an officer: its number, its code, what is to be shown.

import { fill, h, once } from './dom.js';
import { printRequest } from './print.js';
import { call } from './rpc.js';
import { t } from './words.js';

/** `notice` is the daemon's own sentence; the number and the code follow as soon as the daemon names them. */
export function requestCard(turn, notice, onAnother) {
  const more = h('div', { class: 'request' });
  call('Request.list', { status: 'under_review' })
    .then(({ requests }) => requests.find((request) => request.run_id === turn.runId))
    .then((request) => request && fill(more, details(request, onAnother)))
    .catch(() => {}); // the sentence above names both
  return h('div', { role: 'status' }, h('p', { class: 'note' }, notice), more);
}

function details(request, onAnother) {
  const print = once(() => printRequest(request));
  return [
    h('dl', { class: 'fields' },
      h('div', {}, h('dt', {}, t('ticket_title')), h('dd', { class: 'number', 'data-queue': request.queue_number }, request.queue_number)),
      h('div', {}, h('dt', {}, t('request_code')), h('dd', { class: 'number', 'data-code': request.code }, request.code))),
    request.requirements.length > 0 && [h('p', {}, t('bring')), h('ul', { class: 'bring' }, request.requirements.map((one) => h('li', {}, one.requirement)))],
    h('div', { class: 'actions' }, h('button', { class: 'primary', type: 'button', onclick: print, 'data-act': 'slip' }, t('ticket')),
      onAnother && h('button', { type: 'button', onclick: onAnother, 'data-act': 'another' }, t('another'))),
  ];
}
