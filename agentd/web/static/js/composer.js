// Where a person writes: one field, send and stop. What is sent is the conversation's business.

import { h, settle } from './dom.js';
import { t } from './words.js';

const LIMIT = 8192; // bytes of UTF-8: the daemon takes no longer message, unless it is configured to

export class Composer {
  /** onSend(text), onStop(). */
  constructor({ onSend, onStop, onScreen = false }) {
    this._onSend = onSend;
    this._busy = false;
    this.input = h('textarea', {
      id: 'message',
      name: 'message',
      rows: '1',
      autocomplete: 'off',
      inputmode: onScreen ? 'none' : null,
      oninput: () => this._cut(),
      onkeydown: (event) => {
        if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
          event.preventDefault();
          this.send();
        }
      },
    });
    this._label = h('label', { for: 'message', class: 'sr-only' });
    this._note = h('p', { class: 'note', role: 'status' });
    this._send = h('button', { class: 'primary', 'data-act': 'send' });
    this._stop = h('button', { type: 'button', class: 'stop', hidden: true, onclick: onStop, 'data-act': 'stop' });
    const submit = (event) => (event.preventDefault(), this.send());
    this.form = h('form', { class: 'composer', tabindex: '-1', onsubmit: submit }, this._label, this.input, this._send, this._stop, this._note);
    this._rest = onScreen ? this.form : this.input; // a kiosk's input would bring its keyboard over the answer
    this.redraw();
  }

  redraw() {
    this._label.textContent = t('your_words');
    this.input.placeholder = t('your_words');
    this._send.textContent = t('send');
    this._stop.textContent = t('stop');
  }

  busy(value) {
    const pressed = [this._send, this._stop].find((button) => button === document.activeElement);
    this._busy = value;
    if (!value) this._note.textContent = '';
    this._send.hidden = value;
    if (value && this._stop.hidden) settle(this._stop); // it comes where "send" was
    this._stop.hidden = !value;
    if (pressed?.hidden) this._rest.focus(); // not onto the other: a held key would press it
  }

  send() {
    const text = this.input.value.trim();
    if (text && this.say(text)) this.input.value = '';
  }

  /** Sends the text; false while an answer comes: a "ya" said ahead must not approve what was not yet on the screen. */
  say(text) {
    this._note.textContent = this._busy ? t('wait') : '';
    if (this._busy) return false;
    this._onSend(text);
    return true;
  }

  _cut() {
    const fitting = new TextEncoder().encodeInto(this.input.value, new Uint8Array(LIMIT)).read; // never half an emoji
    if (fitting === this.input.value.length) return;
    this.input.value = this.input.value.slice(0, fitting);
    this._note.textContent = t('too_long');
  }
}
