// Asks the daemon whether a letter is genuine, by its code or its file, and shows the answer.

import { $, fill, h } from './dom.js';
import { day, lang, said, t } from './words.js';

async function verdict(path, options) {
  const response = await fetch(`${path}?lang=${lang()}`, { ...options, headers: { Accept: 'application/json', ...options?.headers }, cache: 'no-store' });
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

function verdictCard(found) {
  const row = (name, value) => value && h('div', {}, h('dt', {}, said('desk_rows', name)), h('dd', {}, value));
  return h(
    'div',
    { class: 'card', 'data-verdict': found.status },
    h('p', { class: `state ${found.status}` }, found.cause === 'expired' ? t('desk_expired') : (said('desk_verdicts', found.status) ?? t('desk_unchecked'))),
    h('p', {}, found.reason ?? ''),
    h(
      'dl',
      { class: 'fields' },
      row('title', found.title),
      row('number', found.number),
      row('date', found.date && day(found.date)),
      row('valid_until', found.valid_until && day(found.valid_until)),
      row('name_masked', found.name_masked),
      row('void_reason', found.void_reason),
    ),
    found.paper && h('p', { class: 'note' }, t('desk_paper')),
    found.paper &&
      h(
        'dl',
        { class: 'fields' },
        row('name', found.paper.name),
        row('nik_last4', found.paper.nik_last4),
        row('date', day(found.paper.date)),
        row('purpose', found.paper.purpose),
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
