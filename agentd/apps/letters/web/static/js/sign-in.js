// The kiosk's form for NIK (or card) and PIN. The PIN is in its field alone, and is wiped before the answer comes.

import { fill, h, once } from './dom.js';
import { call } from './rpc.js';
import { t } from './words.js';

const NIK = /^\d{16}$/;
const PIN = /^\d{6}$/;

/**
 * `root` is where it is drawn; `session()` answers the id of the visit's session, made when it is asked first.
 * onIdentity({level, display_name, …}), onWithout() and onBack() leave it. `reader`: a card reader types here.
 */
export class SignIn {
  constructor(root, { session, reader, onIdentity, onWithout, onBack }) {
    Object.assign(this, { root, session, reader, onIdentity, onWithout, onBack });
    this._nik = '';
    this._card = '';
  }

  open() {
    this._draw();
    (this._cardField ?? this._nikField).focus();
  }

  /** In another language it is the same form, without the PIN. */
  redraw() {
    if (this.root.firstChild) this._draw();
  }

  /** Nothing of the visitor stays in the page. */
  close() {
    this._nik = this._card = '';
    for (const field of this.root.querySelectorAll('input')) field.value = '';
    fill(this.root);
  }

  _draw() {
    this._note = h('p', { class: 'note', role: 'alert', id: 'sign-in-note' });
    this._cardField = this.reader ? this._reader() : null;
    this._nikField = digits('nik', 16, this._nik, (value) => (this._nik = value));
    this._pinField = digits('pin', 6, '', () => {}, 'password');
    const leave = (way) => () => (this.close(), way());
    fill(this.root, h('form', { class: 'card', autocomplete: 'off', novalidate: true, 'aria-label': t('sign_in'), onsubmit: (event) => (event.preventDefault(), this._try()) },
      h('div', { class: 'form-head' },
        h('button', { type: 'button', class: 'back', onclick: leave(this.onBack), 'data-act': 'back' }, t('back')),
        h('h1', { tabindex: '-1' }, t('sign_in'))),
      this._cardField,
      row('nik', this._nikField),
      row('pin', this._pinField),
      this._note,
      h('div', { class: 'actions' },
        h('button', { class: 'primary', 'data-act': 'enter' }, t('enter')),
        h('button', { type: 'button', onclick: leave(this.onWithout), 'data-act': 'without' }, t('without_pin')))));
  }

  /** A field that shows nothing of what the reader types; the reader ends its line with Enter. */
  _reader() {
    const field = h('input', { type: 'password', name: 'card', class: 'reader', autocomplete: 'off', inputmode: 'none', 'data-keys': 'none', placeholder: t(this._card ? 'card_read' : 'card'), 'aria-label': t('card') });
    field.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter') return;
      event.preventDefault();
      this._card = field.value.trim();
      field.value = '';
      if (!this._card) return;
      field.placeholder = t('card_read');
      this._pinField.focus();
    });
    return field;
  }

  _try = once(async () => {
    const pin = this._pinField.value;
    this._pinField.value = '';
    if (!this._card && !NIK.test(this._nik)) return this._say(t('nik_wrong'), this._nikField);
    if (!PIN.test(pin)) return this._say(t('pin_six'));
    this._say(t('checking'));
    const named = this._card ? { card: this._card } : { nik: this._nik };
    try {
      const session_id = await this.session();
      const answer = await call('Session.verify', { session_id, ...named, pin });
      if (answer.verified && !this.root.firstChild) return await call('Session.forget', { session_id }); // they left, and go on without
      if (answer.verified) return this.close(), this.onIdentity(answer);
      this._forgetCard();
      this._say(answer.attempts_left ? t('pin_left', { left: answer.attempts_left }) : t('pin_none_left'));
    } catch (error) {
      this._forgetCard();
      this._say(reason(error));
    }
  });

  /** Another try by card begins at the reader. */
  _forgetCard() {
    this._card = '';
    if (this._cardField) this._cardField.placeholder = t('card');
  }

  _say(words, field = this._pinField) {
    if (!field.isConnected) return; // the visitor has left meanwhile
    this._note.textContent = words;
    field.focus();
  }
}

function reason(error) {
  if (error.type === 'rate_limited') return t('pin_locked', { minutes: Math.max(1, Math.ceil((error.data.retry_after_s ?? 0) / 60)) });
  return error.type === 'tool_execution' ? t('register_down') : error.userMessage || t('lost');
}

function digits(name, length, value, heard, type = 'text') {
  const field = h('input', { id: `sign-in-${name}`, name, type, value, maxlength: String(length), autocomplete: 'off', inputmode: 'none', 'data-keys': 'digits', required: true, 'aria-describedby': 'sign-in-note' });
  field.addEventListener('input', () => {
    field.value = field.value.replace(/\D/g, '').slice(0, length);
    heard(field.value);
  });
  return field;
}

const row = (name, field) => h('div', { class: 'field', 'data-field': name }, h('label', { for: field.id }, t(name)), field);
