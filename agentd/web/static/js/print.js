// Prints by the browser: the letter as the daemon draws it, or a slip with the queue number. Nothing is saved to a disk.

import { h } from './dom.js';
import { get } from './rpc.js';
import { day, t } from './words.js';

const KEEP_MS = 120_000; // a tab has read its file by then

/** Prints the letter `name` of a run, page by page as the daemon draws it. Throws RpcError when it is gone. */
export async function printLetter(runId, name) {
  const pages = [];
  for (let number = 1, count = 1; number <= count; number++) {
    const response = await get(`/pictures/${encodeURIComponent(runId)}/${encodeURIComponent(name)}/${number}.png`);
    count = Number(response.headers.get('X-Pages') ?? 1);
    pages.push(await drawn(await response.blob()));
  }
  printOnly(h('section', { class: 'printed letter-pages' }, pages));
}

async function drawn(blob) {
  const url = URL.createObjectURL(blob);
  const image = h('img', { src: url, alt: '' });
  await image.decode();
  addEventListener('afterprint', () => URL.revokeObjectURL(url), { once: true });
  return image;
}

/** Nothing but this goes on paper; it is gone from the page afterwards. */
function printOnly(section) {
  document.body.append(section);
  addEventListener('afterprint', () => section.remove(), { once: true });
  window.print();
}

/** Opens a PDF, a promise of its blob, in a tab of its own (phone and desk; a kiosk never does). */
export async function openLetter(file) {
  const tab = window.open('', '_blank');
  const url = URL.createObjectURL(await file.catch((error) => (tab?.close(), Promise.reject(error))));
  if (tab) tab.location = url;
  else location.assign(url);
  setTimeout(() => URL.revokeObjectURL(url), KEEP_MS);
}

/** Prints the number and the code of a request that waits for an officer. */
export async function printRequest(request) {
  printOnly(
    h(
      'section',
      { class: 'printed slip' },
      h('p', {}, t('ticket_title')),
      h('p', { class: 'slip-number' }, request.queue_number),
      h('p', {}, request.title),
      h('p', {}, `${t('request_code')}: ${request.code}`),
      h('p', {}, t('bring'), ' ', request.requirements.map((one) => one.requirement).join('; ')),
    ),
  );
}

/** Prints a slip for the counter, where the office prints the letter itself. A part of the number may be another letter's. */
export async function printTicket(letter) {
  printOnly(
    h(
      'section',
      { class: 'printed slip' },
      h('p', {}, t('ticket_title')),
      h('p', { class: 'slip-number' }, letter.number),
      h('p', {}, letter.title),
      h('p', {}, day(letter.date)),
      h('p', {}, t('ticket_note')),
    ),
  );
}
