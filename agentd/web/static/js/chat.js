// The chat page for phones and desks: one conversation that survives a reload and is the same in two tabs.

import { Composer } from './composer.js';
import { $, fill, h, once, randomId, randomKey, unhurried } from './dom.js';
import { login, shut } from './login.js';
import { named } from './glossary.js';
import { Page, forget } from './page.js';
import { pause } from './rpc.js';
import { canSpeak, setSpeaking, speaking } from './speak.js';
import { isBusy } from './turns.js';
import { nextLanguage, speakIn, t, writeWords } from './words.js';

const KEY = 'agentd-chat-session';
const tabs = new BroadcastChannel('agentd-chat');

const composer = new Composer({ onSend: (text) => page.conversation.send(text), onStop: () => page.conversation.stop() });
const page = new Page({
  onScreen: false,
  printing: 'here',
  mayOpen: true,
  say: (text) => composer.say(text),
  showStart: () => show('talk'),
  showTalk: () => show('talk'),
  showForm: () => show('form-view'),
  onChange: (turn, what) => {
    if (what === 'new') sessionStorage.setItem(KEY, JSON.stringify([sessionId, key])); // a reload goes on; the tab's end forgets
    composer.busy(page.conversation.busy);
    $('#suggestions').hidden = page.conversation.turns.length > 0;
    if (what !== 'delta' && !isBusy(turn) && !turn.restored) tabs.postMessage({ session: sessionId });
  },
});

let [sessionId, key] = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') ?? [randomId(), randomKey()];

function show(id) {
  for (const view of ['form-view', 'talk']) $(`#${view}`).hidden = view !== id;
  if (id === 'talk') composer.input.focus({ preventScroll: true });
}

const restart = once(async () => {
  page.conversation.close();
  const old = [sessionId, key];
  [sessionId, key] = [randomId(), randomKey()];
  sessionStorage.removeItem(KEY);
  page.begin(sessionId, key);
  composer.busy(false);
  fill($('#form'));
  show('talk');
  $('#suggestions').hidden = false;
  $('#link').hidden = true;
  await forget(...old).catch((error) => error.type === 'unauthorized' && shut(t('login_gone')));
});

function suggestions() {
  fill(
    $('#suggestions'),
    h('p', { class: 'bubble agent' }, t('hello')),
    (page.catalogue?.letters ?? []).map((letter) =>
      h('button', { type: 'button', 'data-letter': letter.letter_type, onclick: () => page.fillIn(letter) }, named(letter.title)),
    ),
  );
}

function words() {
  writeWords();
  composer.redraw();
  suggestions();
  page.redraw();
}

$('#composer').append(composer.form);
$('#language').addEventListener('click', unhurried(() => {
  speakIn(nextLanguage().code, { byHand: true });
  words();
}));
$('#speak').hidden = !canSpeak;
$('#speak').addEventListener('click', unhurried(() => {
  setSpeaking(!speaking());
  $('#speak').setAttribute('aria-pressed', String(speaking()));
}));
$('#restart').addEventListener('click', restart);
// Another tab of this session has news: look at what is there.
tabs.addEventListener('message', ({ data }) => {
  const { conversation } = page;
  if (data.session === sessionId) conversation.idle().then(() => conversation.restore()).catch(() => {});
});

speakIn(new URLSearchParams(location.search).get('lang'));
page.begin(sessionId, key);
words();
await login({
  probe: () => page.load(),
  open: async () => {
    show('talk');
    suggestions();
    if (!sessionStorage.getItem(KEY)) return;
    $('#suggestions').hidden = true;
    if (!(await page.conversation.restore())) $('#suggestions').hidden = false;
  },
  leaving: async () => {
    page.conversation.close();
    await Promise.race([forget(sessionId, key).catch(() => {}), pause(3000)]);
  },
});
document.documentElement.dataset.ready = 'true';
