// The kiosk's page: start, form, talk; big keys; and nothing that stays behind when the citizen has gone.

import { Composer } from './composer.js';
import { $, fill, h, once, randomId, randomKey, settle, unhurried } from './dom.js';
import { Idle } from './idle.js';
import { Keyboard } from './keyboard.js';
import { own, remove, sweep } from './kiosk-memory.js';
import { Page } from './page.js';
import { ask, call, pause } from './rpc.js';
import { card, entrance, letterCards } from './services.js';
import { SignIn } from './sign-in.js';
import { canSpeak, setSpeaking, speaking } from './speak.js';
import { isBusy } from './turns.js';
import { lang, nextLanguage, speakIn, t, writeWords } from './words.js';

const RETRY_MS = 2000;
const query = new URLSearchParams(location.search);
let sessionId = randomId();
const key = randomKey(); // in this page's memory alone: it goes with the visitor
let started = false; // there is something to wipe
let noted = false; // the session stands in this browser's list
let created = false; // it is at the daemon
let changed = false; // language or contrast
let register = false; // whether visitors can sign in here
let identity = null; // who signed in: {level, display_name}
let known = null; // what the register means for this visitor's forms (Residents.visit)
let withoutPin = false;

const keyboard = new Keyboard($('#keyboard'), { onDone: (field) => (field.id === 'message' ? composer.send() : field.form.requestSubmit()) });
const composer = new Composer({
  onScreen: true,
  onSend: (text) => (show('talk'), page.conversation.send(text)),
  onStop: () => page.conversation.stop(),
});
const page = new Page({
  onScreen: true,
  printing: query.get('print') === 'desk' ? 'desk' : 'here',
  mayOpen: false,
  say: (text) => composer.say(text),
  onFinish: () => wipe(),
  onAnother: once(async () => {
    await lookAgain();
    toStart('[data-letter]');
  }),
  showTalk: () => show('talk'),
  showForm: () => show('form-view'),
  showStart: () => show('start'),
  onChange: (turn) => {
    composer.busy(page.conversation.busy);
    if (isBusy(turn)) idle.stay();
  },
});

const idle = new Idle({
  quietMs: Number(query.get('idle') ?? 60) * 1000,
  onWarn: (seconds) => {
    if (!started) return untouched();
    if (page.conversation.busy) return idle.stay(); // the person waits for us, not we for them
    const dialog = $('#idle');
    $('#idle-text').textContent = t('idle_text', { seconds });
    if (!dialog.open) dialog.showModal();
  },
  onStay: () => $('#idle').close(),
  onLeave: () => wipe(),
});

function show(id) {
  for (const view of ['start', 'sign-in-view', 'form-view', 'talk']) $(`#${view}`).hidden = view !== id;
  $('#finish').hidden = id === 'start' && !started;
  keyboard.hide();
  const view = settle($(`#${id}`));
  (id === 'talk' ? page.bubbles.scroller : view).focus({ preventScroll: true });
}

/** From here on there is something to warn of and to wipe. */
function begin() {
  if (!noted) own(sessionId, key);
  started = noted = true;
}

/** Nobody has begun: there is nothing to warn of, and the next person finds the page as it was, or its letters at last. */
function untouched() {
  if (changed || !page.catalogue) restart();
  else idle.stay();
}

/** Everything goes: the session at the daemon, the page's memory, its history entry. */
const wipe = once(async () => {
  idle.end();
  setSpeaking(false);
  page.conversation.close();
  signIn.close();
  nothingBut(t('wiping'));
  if (started) await Promise.race([remove(sessionId, key).catch(() => {}), new Promise((done) => setTimeout(done, 3000))]);
  await restart();
});

function nothingBut(text) {
  const words = h('h1', { class: 'wiping', tabindex: '-1' }, text);
  fill(document.body, h('main', {}, words));
  words.focus();
}

/** To the start as soon as the daemon serves it: the browser's own error page would stay for ever. */
async function restart() {
  const address = location.pathname + location.search;
  for (;;) {
    const served = await fetch(address, { cache: 'no-store' }).catch(() => null);
    if (served?.ok) return location.replace(address);
    nothingBut(t('wiped_offline'));
    await pause(RETRY_MS);
  }
}

function drawStart() {
  const entering = register && !identity && !withoutPin;
  $('#lead').textContent = t(entering ? 'how' : 'choose');
  $('#who').hidden = !identity;
  $('#who').textContent = identity ? t(SIGNED_IN[identity.level], { name: identity.display_name }) : '';
  fill($('#services'), entering ? entrance({ onSignIn: openSignIn, onWithout: goWithout }) : services());
}

const SIGNED_IN = { pin: 'signed_in', 'card+pin': 'signed_in_card', officer: 'signed_in_officer' };

function services() {
  const letters = page.catalogue?.letters ?? [];
  const maySignIn = register && !identity;
  const withheld = Object.fromEntries((known?.withheld ?? []).map(({ tool, message }) => [tool, message[lang()] ?? message.id]));
  return [
    maySignIn && card('✓', t('sign_in'), t('sign_in_why'), { id: 'sign-in', class: 'service other', onclick: openSignIn }),
    letterCards(letters, identity?.level ?? 'declared', { onLetter: openForm, signIn: maySignIn && openSignIn, withheld }),
    letters.length === 0 && h('p', { class: 'note' }, t('no_letters')),
    card('?', t('ask_else'), null, { id: 'ask-else', class: 'service other', onclick: openTalk }),
  ];
}

const signIn = new SignIn($('#sign-in-view'), {
  reader: query.get('card') === 'reader',
  session: visit,
  onIdentity: async (answer) => {
    identity = answer;
    await askRegister();
    toStart('[data-letter]');
  },
  onWithout: goWithout,
  onBack: () => toStart('#sign-in'),
});

/** A session at the daemon, which is there before anybody says a word in it. */
async function visit() {
  if (!created) {
    ({ session_id: sessionId } = await call('Session.create'));
    created = true;
    page.begin(sessionId, key);
    own(sessionId, key);
    noted = true;
  }
  return sessionId;
}

/** Who the visitor is by now: an officer may have seen their card, and a proof ends. */
async function lookAgain() {
  const session = await call('Session.get', { session_id: sessionId }).catch(() => null);
  if (session) identity = session.identity ?? null;
  await askRegister();
}

/** Whom the visitor may name, and which letters they can't have; while it can't be asked the forms are typed. */
async function askRegister() {
  known = identity && (await call('Residents.visit', { session_id: sessionId }).catch(() => null));
  page.members = known?.members.map(({ value }) => value) ?? [];
}

function openSignIn() {
  started = true;
  show('sign-in-view');
  signIn.open();
}

function goWithout() {
  withoutPin = changed = true; // who then walks away leaves the first screen to the next person
  toStart('[data-letter]');
}

/** The start as it is by now, at one of its buttons. */
function toStart(at) {
  drawStart();
  show('start');
  $(`#services ${at}`)?.focus();
}

/** Whether this office's daemon knows its residents; an older one, or one that can't be asked now, does not. */
const hasRegister = () => call('Residents.status').then(({ configured }) => configured, () => false);

/** The officer types the code of `agentd kiosk pair`; the daemon gives this browser a token that no script reads. */
function pairForm() {
  const code = h('input', { id: 'pair-code', inputmode: 'numeric', pattern: '[0-9]{6}', maxlength: 6, required: true, autocomplete: 'off', 'data-keys': 'digits' });
  const note = h('p', { class: 'note', role: 'alert' });
  const pair = once(async () => {
    const answer = await ask('/pair', { code: code.value.trim() }).catch(() => null);
    if (answer?.ok) return location.reload();
    note.textContent = t('pair_wrong');
    code.value = '';
    code.focus();
  });
  return h('form', { id: 'pair', class: 'card', onsubmit: (event) => (event.preventDefault(), pair()) },
    h('label', { for: 'pair-code' }, t('pair_code')), code, note, h('button', { class: 'primary' }, t('pair')));
}

function openForm(letter) {
  begin();
  page.fillIn(letter, { left: known?.forms[letter.tool] });
}

function openTalk() {
  begin();
  show('talk');
  composer.input.focus();
}

function words() {
  writeWords();
  $('#speak').setAttribute('aria-pressed', String(speaking()));
  composer.redraw();
  drawStart();
  signIn.redraw();
  page.redraw();
  keyboard.redraw();
}

$('#composer').append(composer.form);
$('#language').addEventListener('click', unhurried(() => {
  speakIn(nextLanguage().code, { byHand: true });
  changed = true;
  words();
}));
$('#contrast').addEventListener('click', unhurried(() => {
  $('#contrast').setAttribute('aria-pressed', String(document.documentElement.classList.toggle('contrast')));
  changed = true;
}));
$('#speak').hidden = !canSpeak;
$('#speak').addEventListener('click', unhurried(() => {
  setSpeaking(!speaking());
  $('#speak').setAttribute('aria-pressed', String(speaking()));
}));
$('#finish').addEventListener('click', wipe);
$('#idle-stay').addEventListener('click', () => idle.stay());
$('#idle-leave').addEventListener('click', wipe);
$('#idle').addEventListener('cancel', (event) => (event.preventDefault(), idle.stay()));
addEventListener('contextmenu', (event) => event.preventDefault());
addEventListener('dragover', (event) => event.preventDefault());
addEventListener('drop', (event) => event.preventDefault());
addEventListener('pageshow', (event) => event.persisted && location.reload());

speakIn(query.get('lang'));
page.begin(sessionId, key);
words();
settle($('#start'));
idle.start();
sweep().catch(() => {});
try {
  [register] = await Promise.all([hasRegister(), page.load()]);
  drawStart();
} catch (error) {
  fill($('#services'), h('p', { class: 'note', role: 'alert' }, t('not_connected')), error.type === 'unauthorized' && pairForm());
  $('#pair-code')?.focus();
}
document.documentElement.dataset.ready = 'true';
