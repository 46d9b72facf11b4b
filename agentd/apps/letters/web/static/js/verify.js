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

/** A code, or all that a scanner read from the QR code: the address and, after its #, the signed statement. */
export function checkCode(text) {
  const [address, statement] = text.split('#');
  const code = address.replace(/\/+$/, '').split('/').pop();
  const path = `/verify/${encodeURIComponent(code)}`;
  return statement ? verdict(path, { method: 'POST', body: new URLSearchParams({ statement }) }) : verdict(path);
}

export function checkFile(file) {
  const body = new FormData();
  body.append('file', file);
  return verdict('/verify', { method: 'POST', body });
}

const WORDS = { genuine: 'Asli', voided: 'Dibatalkan', tampered: 'Tidak asli', unknown: 'Tidak terdaftar', unconfirmed: 'Isi asli, register belum ditanya' };

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
    found.paper && h('p', { class: 'note' }, 'Isi surat yang asli menurut kode QR:'),
    found.paper &&
      h(
        'dl',
        { class: 'fields' },
        row('Nama lengkap', found.paper.name),
        row('Akhir NIK', found.paper.nik_last4),
        row('Tanggal', day(found.paper.date)),
        row('Keperluan', found.paper.purpose),
      ),
  );
}
