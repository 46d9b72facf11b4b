// The desk's part of a citizen's request: its number and level, what to tick, what differs from the register, vouching.

import { shown } from './approval-card.js';
import { $, fill, h, once, redrawn } from './dom.js';
import { openLetter } from './print.js';
import { Unreachable, call } from './rpc.js';
import { ZONE } from './texts.js';
import { said, t, time } from './words.js';

const levelOf = (level) => said('desk_levels', level) ?? level;

/** Why a call of the desk came to nothing, for the officer. */
export const whyNot = (error) => (error instanceof Unreachable ? t('login_offline') : error.userMessage || error.message);

/** Number and level, beside when it was made. */
export const requestLine = (request) =>
  h('p', { class: 'queue' }, h('strong', { 'data-queue': request.queue_number }, request.queue_number), ' ', h('span', { class: `level ${request.level}`, 'data-level': request.level }, levelOf(request.level)));

/** What an officer does before saying yes. */
export function requestDetails(run) {
  return h('div', { class: 'request-desk' }, requirements(run.request), comparison(run.request), vouching(run));
}

function requirements(request) {
  if (!request.requirements.length) return null;
  const note = h('p', { class: 'note', role: 'alert' });
  const line = ({ requirement }) => {
    const box = h('input', { type: 'checkbox', 'data-request': request.request_id, 'data-requirement': requirement });
    box.addEventListener('change', async () => {
      note.textContent = '';
      try {
        mayDecide(await call('Request.check', { request_id: request.request_id, requirement, seen: box.checked }));
      } catch (error) {
        box.checked = !box.checked;
        note.textContent = whyNot(error);
      }
    });
    return h('label', { class: 'tick' }, box, ' ', requirement);
  };
  return h('fieldset', { class: 'ticks' }, h('legend', {}, t('desk_documents')), request.requirements.map(line), note);
}

/** What is ticked, by any officer; a box that is in use is left alone. */
export function showTicks(requests) {
  for (const request of requests) {
    for (const { requirement, seen } of request.requirements) {
      const box = document.querySelector(`[data-request="${CSS.escape(request.request_id)}"][data-requirement="${CSS.escape(requirement)}"]`);
      if (box && box !== document.activeElement) box.checked = seen;
    }
    mayDecide(request);
  }
}

/** A yes is offered once everything asked for was seen and nothing else is awaited; a no always is. */
function mayDecide({ run_id: run, status, requirements: all }) {
  const card = document.querySelector(`#pending [data-run="${CSS.escape(run)}"]`);
  if (!card) return;
  const may = all.every(({ seen }) => seen) && ['under_review', 'waiting_signature'].includes(status);
  for (const button of card.querySelectorAll('[data-act=yes], [data-act=edit]')) button.disabled = !may;
  card.querySelector('[data-until-ticked]').hidden = may;
}

/** A button that opens the PDF of the letter of that number, by the office's letter server; `note` says why it can't. */
export function opener(catalogue, number, note) {
  const open = once(async () => {
    note.textContent = '';
    const file = catalogue.ask('get_letter_file', { number }).then(({ output }) => pdfOf(output.pdf));
    await openLetter(file).catch((error) => (note.textContent = whyNot(error)));
  });
  return h('button', { type: 'button', onclick: open, 'data-act': 'open', 'aria-label': `${t('desk_open')} ${number}` }, t('desk_open'));
}

const pdfOf = (base64) => new Blob([Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))], { type: 'application/pdf' });

/** Letters that wait to be fetched, oldest first. */
export function readyList(requests, catalogue, refresh) {
  return requests.map((request) => {
    const note = h('span', { class: 'note', role: 'alert' });
    const hand = once(async () => {
      try {
        await call('Request.hand_over', { request_id: request.request_id });
      } catch (error) {
        note.textContent = whyNot(error);
      }
      await refresh();
    });
    const what = h('span', {}, h('strong', {}, request.queue_number), ` ${[request.title, request.letter, time(request.created_at)].filter(Boolean).join(', ')} `);
    const label = `${request.queue_number}: ${t('desk_hand_over')}`;
    const open = request.letter && opener(catalogue, request.letter, note);
    return h('li', { 'data-ready': request.queue_number }, what, open, ' ', h('button', { type: 'button', onclick: hand, 'data-act': 'hand-over', 'aria-label': label }, t('desk_hand_over')), note);
  });
}

function comparison(request) {
  const place = h('div', { class: 'compared', 'data-compared': '' }, h('p', { class: 'fine' }, t('desk_comparing')));
  call('Request.compare', { request_id: request.request_id }).then(
    (found) => fill(place, compared(found)),
    (error) => fill(place, h('p', { class: 'note' }, error.type === 'not_found' ? '' : whyNot(error))),
  );
  return place;
}

function compared({ resident, differences }) {
  if (!resident) return h('p', { class: 'note', 'data-compared': 'nobody' }, t('desk_no_resident'));
  if (!differences.length) return h('p', { class: 'note', 'data-compared': 'same' }, t('desk_same'));
  const line = (one) => h('li', { 'data-differs': one.field }, t('desk_difference', { title: one.title, said: one.said, registered: shown(one.registered) }));
  return h('div', { class: 'note', 'data-compared': 'differs' }, t('desk_differs'), h('ul', {}, differences.map(line)));
}

/** The officer saw the identity card: from now on the visit's letters are filled in from the register. */
function vouching(run) {
  const id = `vouch-${run.request.request_id}`;
  const nik = h('input', { id, autocomplete: 'off', inputmode: 'numeric', maxlength: '16', required: true, pattern: '[0-9]{16}', 'aria-describedby': `${id}-hint` });
  const note = h('p', { class: 'note', role: 'status' });
  const vouch = once(async () => {
    try {
      const answer = await call('Session.vouch', { session_id: run.session_id, nik: nik.value });
      note.textContent = answer.verified ? t('desk_vouched', { name: answer.display_name, level: levelOf(answer.level) }) : t('desk_no_vouch');
    } catch (error) {
      note.textContent = error.type === 'not_found' ? t('desk_visit_over') : whyNot(error);
    }
  });
  return h('details', { class: 'vouch' }, h('summary', {}, t('desk_vouch')),
    h('form', { onsubmit: (event) => (event.preventDefault(), vouch()) },
      h('label', { for: id }, t('desk_vouch_nik')),
      h('div', { class: 'row' }, nik, h('button', { 'data-act': 'vouch' }, t('desk_vouch_yes'))),
      h('p', { class: 'hint', id: `${id}-hint` }, t('desk_vouch_hint')), note));
}

/** What a resident says differs from the register, to be ended with a note. */
export function correctionCard(one, refresh) {
  const id = `correction-${one.correction_id}`;
  const input = h('input', { id, autocomplete: 'off', maxlength: '500' });
  const note = h('p', { class: 'note', role: 'alert' });
  const resolve = once(async () => {
    input.readOnly = true; // while it is being sent
    try {
      await call('Correction.resolve', { correction_id: one.correction_id, ...(input.value.trim() && { note: input.value.trim() }) });
      remove(card);
    } catch (error) {
      input.readOnly = false;
      note.textContent = whyNot(error);
      if (error.type === 'not_found') unsaved(card);
    }
    await refresh();
  });
  const row = (name, value) => h('div', {}, h('dt', {}, name), h('dd', {}, value));
  const card = h('article', { class: 'card', 'data-correction': one.field },
    h('h3', {}, one.title),
    h('p', { class: 'fine' }, `NIK ${one.nik}, ${time(one.created_at)}`),
    h('dl', { class: 'fields' }, row(t('desk_recorded'), one.registered), row(t('desk_said'), one.said)),
    h('form', { onsubmit: (event) => (event.preventDefault(), resolve()) },
      h('label', { for: id }, t('desk_note')),
      h('div', { class: 'row' }, input, h('button', { 'data-act': 'resolve' }, t('desk_resolve')))),
    note);
  return card;
}

const remove = (card) => redrawn(card.parentElement, () => card.remove(), $('h2', card.closest('section')));

/** Whether the card of a correction that has ended must stay: its note is being sent, or went nowhere, as it then says. */
export function unsaved(card) {
  const input = $('input', card);
  if (input?.readOnly || !input?.value.trim()) return Boolean(input?.readOnly);
  $('[role=alert]', card).textContent = t('desk_unsaved');
  $('button', card).replaceWith(h('button', { type: 'button', onclick: () => remove(card), 'data-act': 'close' }, t('desk_close')));
  return true;
}

/** Today's numbers; `letters` are the day's, `requests` the newest. */
export function figures({ today, letters, requests }) {
  const made = requests.filter((request) => dayOf(request.created_at) === today);
  const count = (status) => made.filter((request) => request.status === status).length;
  const now = (...states) => requests.filter((request) => states.includes(request.status)).length;
  const row = (key, number) => h('div', {}, h('dt', {}, said('desk_figures', key)), h('dd', { 'data-figure': key }, String(number)));
  return h('dl', { class: 'fields figures' },
    row('issued', letters.filter((letter) => letter.status === 'issued').length),
    row('void', letters.filter((letter) => letter.status === 'void').length),
    row('requests', made.length),
    row('ready', count('ready') + count('fetched')),
    row('cancelled', count('cancelled')),
    row('fetched', count('fetched')),
    row('waiting', now('under_review', 'incomplete', 'waiting_signature')),
    row('to-fetch', now('ready')));
}

const OFFICE_DAY = new Intl.DateTimeFormat('en-CA', { timeZone: ZONE }); // as ISO writes it
const dayOf = (iso) => OFFICE_DAY.format(new Date(iso));
