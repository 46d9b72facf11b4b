// The kiosk's page: start, form, talk; big keys; and nothing that stays behind when the citizen has gone.

import { Composer } from './composer.js';
import { $, fill, h, once, randomId, randomKey, settle, unhurried } from './dom.js';
import { named } from './glossary.js';
import { Idle } from './idle.js';
import { Keyboard } from './keyboard.js';
import { own, remove, sweep } from './kiosk-memory.js';
import { Page } from './page.js';
import { ask, pause } from './rpc.js';
import { canSpeak, setSpeaking, speaking } from './speak.js';
import { isBusy } from './turns.js';
import { lang, speakIn, t } from './words.js';

const RETRY_MS = 2000;
const query = new URLSearchParams(location.search);
const sessionId = randomId();
const key = randomKey(); // in this page's memory alone: it goes with the visitor
let started = false;
let changed = false; // language or contrast

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
  onFinish: () => wipe(),
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
  for (const view of ['start', 'form-view', 'talk']) $(`#${view}`).hidden = view !== id;
  $('#finish').hidden = id === 'start' && !started;
  keyboard.hide();
  const view = settle($(`#${id}`));
  (id === 'talk' ? page.bubbles.scroller : view).focus({ preventScroll: true });
}

/** From here on there is something to warn of and to wipe. */
function begin() {
  if (!started) own(sessionId, key);
  started = true;
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
  const letters = page.catalogue?.letters ?? [];
  fill(
    $('#services'),
    letters.map((letter) =>
      h(
        'button',
        { type: 'button', class: 'service', 'data-letter': letter.letter_type, onclick: () => openForm(letter) },
        h('span', { class: 'service-mark', 'aria-hidden': 'true' }, initials(letter.title)),
        h('strong', {}, named(letter.title)),
      ),
    ),
    letters.length === 0 && h('p', { class: 'note' }, t('no_letters')),
    h('button', { type: 'button', class: 'service other', id: 'ask-else', onclick: () => openTalk() }, h('span', { class: 'service-mark', 'aria-hidden': 'true' }, '?'), h('strong', {}, t('ask_else'))),
  );
}

const initials = (title) =>
  title
    .split(' ')
    .filter((word) => !/^(surat|keterangan|letter|of)$/i.test(word))
    .map((word) => word[0])
    .join('')
    .slice(0, 2)
    .toUpperCase();

/** The officer types the code of `agentd kiosk pair`; the daemon gives this browser a token that no script reads. */
function pairForm() {
  const code = h('input', { id: 'pair-code', inputmode: 'numeric', pattern: '[0-9]{6}', maxlength: 6, required: true, autocomplete: 'off' });
  const note = h('p', { class: 'note', role: 'alert' });
  const pair = once(async () => {
    const answer = await ask('/pair', { code: code.value.trim() }).catch(() => null);
    if (answer?.ok) return location.reload();
    note.textContent = t('pair_wrong');
    code.value = '';
  });
  return h('form', { id: 'pair', class: 'card', onsubmit: (event) => (event.preventDefault(), pair()) },
    h('label', { for: 'pair-code' }, t('pair_code')), code, note, h('button', { class: 'primary' }, t('pair')));
}

function openForm(letter) {
  begin();
  page.fillIn(letter);
}

function openTalk() {
  begin();
  show('talk');
  composer.input.focus();
}

function words() {
  document.title = t('office');
  for (const node of document.querySelectorAll('[data-t]')) node.textContent = t(node.dataset.t);
  $('#speak').setAttribute('aria-pressed', String(speaking()));
  composer.redraw();
  drawStart();
  page.redraw();
  keyboard.redraw();
}

$('#composer').append(composer.form);
$('#language').addEventListener('click', unhurried(() => {
  speakIn(lang() === 'id' ? 'en' : 'id', { byHand: true });
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

speakIn(query.get('lang') ?? 'id');
page.begin(sessionId, key);
words();
settle($('#start'));
idle.start();
sweep().catch(() => {});
try {
  await page.load();
  drawStart();
} catch (error) {
  fill($('#services'), h('p', { class: 'note', role: 'alert' }, t('not_connected')), error.type === 'unauthorized' && pairForm());
}
document.documentElement.dataset.ready = 'true';
