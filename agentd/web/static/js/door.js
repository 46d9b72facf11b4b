// The staff pages' door: asks for a token until one opens what the page needs. It keeps the token for this tab only.

import { hasToken, useToken } from './access.js';
import { $ } from './dom.js';
import { loadCatalogue } from './letters.js';

/** Runs `open` once the caller is staff; `probe` is a call that only staff may make. */
export function door({ probe, open }) {
  const form = $('#door');
  const tried = async () => {
    try {
      await probe();
    } catch (error) {
      if (!['unauthorized', 'forbidden', 'unknown_tool'].includes(error.type)) throw error;
      form.hidden = false;
      $('#door-note').textContent = hasToken() ? 'Kode ini tidak dikenal atau bukan kode petugas.' : (sessionStorage.getItem(WHY) ?? '');
      sessionStorage.removeItem(WHY);
      $('#token').focus();
      return;
    }
    form.hidden = true;
    $('#desk').hidden = false;
    $('#leave').hidden = !hasToken();
    await open();
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    useToken($('#token').value.trim());
    $('#token').value = '';
    const entered = () => document.activeElement === document.body && $('#desk h2')?.focus();
    tried().then(entered, told);
  });
  $('#leave').addEventListener('click', () => shut());
  const told = () => {
    form.hidden = false;
    $('#door-note').textContent = 'Layanan tidak dapat dihubungi. Coba lagi sebentar lagi.';
  };
  return tried().catch(told);
}

const WHY = 'agentd-door-note';
export const GONE = 'Kode petugas tidak berlaku lagi. Masuk dengan kode yang baru.';

/** The token is no longer good (the door then says so), or the officer leaves: everything on the page goes. */
export function shut(why = '') {
  useToken(null);
  sessionStorage.setItem(WHY, why);
  location.reload();
}

/** Throws unless the caller may do what staff does. */
export async function staffOnly() {
  if ((await loadCatalogue()).staff) return;
  const error = new Error('not staff');
  error.type = 'forbidden';
  throw error;
}
