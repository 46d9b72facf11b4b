// Asks the daemon whether a letter is genuine, by its code or its file, and shows the answer.

import { Unreachable } from './rpc.js';
import { h } from './dom.js';
import { day } from './words.js';

async function verdict(path, options) {
  let response;
  try {
    response = await fetch(path, { ...options, headers: { Accept: 'application/json', ...options?.headers }, cache: 'no-store' });
  } catch (error) {
    throw new Unreachable(error.message);
  }
  return response.json();
}

/** A code, or the whole address that a scanner read from the QR code. */
export function checkCode(text) {
  const code = text.replace(/\/+$/, '').split('/').pop();
  return verdict(`/verify/${encodeURIComponent(code)}`);
}

export function checkFile(file) {
  const body = new FormData();
  body.append('file', file);
  return verdict('/verify', { method: 'POST', body });
}

const WORDS = { genuine: 'Asli', voided: 'Dibatalkan', tampered: 'Tidak asli', unknown: 'Tidak terdaftar' };

export function verdictCard(found) {
  const row = (name, value) => value && h('div', {}, h('dt', {}, name), h('dd', {}, value));
  return h(
    'div',
    { class: 'card', 'data-verdict': found.status },
    h('p', { class: `state ${found.status}` }, WORDS[found.status] ?? 'Belum dapat diperiksa'),
    h('p', {}, found.reason ?? ''),
    h(
      'dl',
      { class: 'fields' },
      row('Jenis', found.title),
      row('Nomor', found.number),
      row('Tanggal', found.date && day(found.date)),
      row('Nama', found.name_masked),
      row('Alasan pembatalan', found.void_reason),
    ),
  );
}
