// The login form of the pages for people with a token: asks for one until one opens what the page needs. It draws itself
// into #login, keeps the token for this tab only, and lets the daemon record each login.

import { hasToken, useToken } from './access.js';
import { $, fill, h, once } from './dom.js';
import { loadCatalogue } from './letters.js';
import { RpcError, ask } from './rpc.js';
import { t } from './words.js';

const WHY = 'agentd-login-note';
const REFUSED = ['unauthorized', 'forbidden', 'unknown_tool'];

/**
 * Runs `open`, which shows the page, once `probe` (a call that only who may use the page may make) succeeds.
 * `leaving` clears away at the daemon what #leave would leave behind.
 */
export async function login({ probe, open, leaving = async () => {} }) {
  draw();
  $('#login').addEventListener('submit', once(async (event) => {
    event.preventDefault();
    useToken($('#token').value.replace(/[^!-~]/g, '')); // what is copied along with it would be no header
    await tried(async () => {
      await probe();
      const noted = await ask('/login', {});
      if (!noted.ok) throw new RpcError((await noted.json()).error);
    }, t('login_wrong'));
  }));
  $('#leave').addEventListener('click', once(async () => {
    await leaving();
    shut();
  }));

  async function tried(check, refused) {
    try {
      await check();
      $('#leave').hidden = !hasToken();
      await open();
    } catch (error) {
      return refuse(error, refused);
    }
    $('#login').hidden = true;
    if ([document.body, $('#token')].includes(document.activeElement)) $('#work h2')?.focus();
  }

  await tried(probe, hasToken() ? t('login_gone') : (sessionStorage.getItem(WHY) ?? ''));
  sessionStorage.removeItem(WHY);
}

function draw() {
  fill(
    $('#login'),
    h('h2', { 'data-t': 'enter' }, t('enter')),
    h('label', { for: 'token', 'data-t': 'token' }, t('token')),
    h('input', { id: 'token', type: 'password', autocomplete: 'off', required: true }),
    h('p', { class: 'note', role: 'alert', id: 'login-note' }),
    h('button', { class: 'primary', 'data-t': 'enter' }, t('enter')),
  );
}

/** A token that opens nothing isn't kept; one that could not be tried is. */
function refuse(error, refused) {
  const known = REFUSED.includes(error.type);
  if (known) useToken(null);
  $('#token').value = '';
  $('#login-note').textContent = known ? refused : error.userMessage || t('login_offline');
  $('#login').hidden = false;
  $('#token').focus();
}

/** The person leaves (`why` '') or the token is no longer good, which the form then says: everything is removed. */
export function shut(why = '') {
  useToken(null);
  sessionStorage.clear();
  sessionStorage.setItem(WHY, why);
  location.reload();
}

/** The catalogue of a caller who may do what staff does; throws for another. */
export async function staffOnly() {
  const catalogue = await loadCatalogue();
  if (catalogue.staff) return catalogue;
  const error = new Error('not staff');
  error.type = 'forbidden';
  throw error;
}
