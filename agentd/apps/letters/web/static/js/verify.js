// Asks the daemon whether a letter is genuine, by its code or its file, and shows the answer.

import { $, fill, h } from './dom.js';
import { day } from './words.js';

async function verdict(path, options) {
  const response = await fetch(path, { ...options, headers: { Accept: 'application/json', ...options?.headers }, cache: 'no-store' });
  return response.json();
}

/** A code, or all that a scanner read from the QR code: the address and, after its #, the signed statement. */
function checkCode(text) {
  const [address, statement] = text.split('#');
  const code = address.replace(/\/+$/, '').split('/').pop();
  const path = `/verify/${encodeURIComponent(code)}`;
  return statement ? verdict(path, { method: 'POST', body: new URLSearchParams({ statement }) }) : verdict(path);
}

function checkFile(file) {
  const body = new FormData();
  body.append('file', file);
  return verdict('/verify', { method: 'POST', body });
}

const WORDS = { genuine: 'Asli', voided: 'Dibatalkan', tampered: 'Tidak asli', unknown: 'Tidak terdaftar', unconfirmed: 'Isi asli, register belum ditanya' };

function verdictCard(found) {
  const row = (name, value) => value && h('div', {}, h('dt', {}, name), h('dd', {}, value));
  return h(
    'div',
    { class: 'card', 'data-verdict': found.status },
    h('p', { class: `state ${found.status}` }, found.cause === 'expired' ? 'Asli, masa berlaku habis' : (WORDS[found.status] ?? 'Belum dapat diperiksa')),
    h('p', {}, found.reason ?? ''),
    h(
      'dl',
      { class: 'fields' },
      row('Jenis', found.title),
      row('Nomor', found.number),
      row('Tanggal', found.date && day(found.date)),
      row('Berlaku sampai', found.valid_until && day(found.valid_until)),
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

/** The page's form for a code, and its place for a file. */
export function verification() {
  let asked = null; // the last check begun: what is shown is its verdict, never an earlier one's
  const show = async (check) => {
    asked = check;
    fill($('#verdict'));
    const found = await check().catch(() => ({}));
    if (asked === check) fill($('#verdict'), verdictCard(found));
  };
  $('#verify-form').addEventListener('submit', (event) => {
    event.preventDefault();
    const code = $('#code').value.trim();
    if (code) show(() => checkCode(code));
  });
  $('#file').addEventListener('change', () => $('#file').files[0] && show(() => checkFile($('#file').files[0])));
  const drop = $('#drop');
  addEventListener('dragover', (event) => event.preventDefault());
  addEventListener('drop', (event) => event.preventDefault());
  drop.addEventListener('dragover', () => drop.classList.add('over'));
  drop.addEventListener('dragleave', () => drop.classList.remove('over'));
  drop.addEventListener('drop', (event) => {
    drop.classList.remove('over');
    const file = event.dataTransfer.files[0];
    if (file) show(() => checkFile(file));
  });
}
