// The kiosk's on-screen keyboard: letters, digits, and a keypad for numbers. It types into the field that has the focus.

import { fill, h } from './dom.js';
import { t } from './words.js';

const LETTERS = ['1234567890', 'qwertyuiop', "asdfghjkl'-/", 'zxcvbnm,.'];
const MARKS = ['1234567890', '@_:;()&?!"', '+=*%#.,-/'];
const DIGITS = ['123', '456', '789', '0'];

export class Keyboard {
  /** `panel` is where it is drawn; onDone() when its "next" key finds no further field. */
  constructor(panel, { onDone }) {
    this.panel = panel;
    this._onDone = onDone;
    this._target = null;
    this._upper = true;
    this._marks = false;
    panel.setAttribute('role', 'region');
    // A key must not take the focus from the field it types into.
    panel.addEventListener('pointerdown', (event) => event.preventDefault());
    // It stays when the focus goes to a button: a page that moves under a finger sends the tap astray.
    for (const type of ['focusin', 'click']) document.addEventListener(type, (event) => this._focused(event.target));
  }

  hide() {
    this.panel.hidden = true;
    this._target = null;
  }

  redraw() {
    this.panel.setAttribute('aria-label', t('keyboard'));
    if (this._target?.isConnected) this._draw();
    else this.hide();
  }

  _focused(node) {
    if (!node.matches?.('input:not([type=radio]):not([type=checkbox]), textarea')) return;
    if (node.dataset.keys === 'none') return this.hide(); // what a reader types
    if (node === this._target && !this.panel.hidden) return;
    this._target = node;
    this._upper = !node.value;
    this.panel.hidden = false;
    this._draw();
    node.scrollIntoView({ block: 'nearest' });
  }

  _draw() {
    const digits = this._target.dataset.keys === 'digits';
    this.panel.className = `keyboard ${digits ? 'digits' : 'full'}`;
    const rows = digits ? DIGITS : this._marks ? MARKS : LETTERS;
    const drawn = rows.map((row) => h('div', { class: 'keys' }, [...row].map((key) => this._key(key))));
    const erase = this._act('⌫', t('erase'), () => this._erase(), 'wide');
    const go = t(this._target.id === 'message' ? 'send' : 'next');
    const next = this._act(go, go, () => this._next(), 'wide go');
    if (digits) {
      drawn.at(-1).prepend(erase);
      drawn.at(-1).append(next);
    } else {
      drawn.at(-1).prepend(this._act('⇧', t('shift'), () => this._shift(), this._upper ? 'wide on' : 'wide'));
      drawn.at(-1).append(erase);
      drawn.push(
        h(
          'div',
          { class: 'keys' },
          this._act(t(this._marks ? 'letters' : 'digits'), t(this._marks ? 'letters' : 'digits'), () => this._swap(), 'wide'),
          this._act(t('space'), t('space'), () => this._type(' '), 'space'),
          this._act(t('hide'), t('hide_keyboard'), () => this.hide(), 'wide'),
          next,
        ),
      );
    }
    fill(this.panel, drawn);
  }

  _key(key) {
    const shown = this._upper ? key.toUpperCase() : key;
    return h('button', { type: 'button', tabindex: '-1', onclick: () => this._type(shown) }, shown);
  }

  _act(shown, label, act, kind) {
    return h('button', { type: 'button', tabindex: '-1', class: kind, 'aria-label': label, onclick: act }, shown);
  }

  _type(text) {
    const node = this._target;
    const limit = node.maxLength > 0 ? node.maxLength : Infinity;
    const [from, to] = [node.selectionStart ?? node.value.length, node.selectionEnd ?? node.value.length];
    if (node.value.length - (to - from) + text.length > limit) return;
    node.setRangeText(text, from, to, 'end');
    this._typed();
    const upper = this._upper;
    this._upper = text === ' ' && node.getAttribute('autocapitalize') === 'words';
    if (upper !== this._upper && node.dataset.keys !== 'digits') this._draw();
  }

  _erase() {
    const node = this._target;
    const [from, to] = [node.selectionStart, node.selectionEnd];
    if (from !== to) node.setRangeText('', from, to, 'end');
    else if (from > 0) node.setRangeText('', from - 1, from, 'end');
    this._typed();
  }

  _typed() {
    this._target.dispatchEvent(new InputEvent('input', { bubbles: true }));
    // A tidied value ("05-01-1990") is longer than what was typed: go on at its end.
    if (this._target.dataset.keys === 'digits') this._target.setSelectionRange(this._target.value.length, this._target.value.length);
  }

  _shift() {
    this._upper = !this._upper;
    this._draw();
  }

  _swap() {
    this._marks = !this._marks;
    this._draw();
  }

  _next() {
    const all = [...document.querySelectorAll('input:not([disabled]), textarea:not([disabled])')].filter(
      (node) => node.offsetParent && (node.type !== 'radio' || node === node.closest('.choices')?.querySelector('input')),
    );
    const next = all[all.indexOf(this._target) + 1];
    if (next && next.closest('form') === this._target.closest('form')) next.focus();
    else this._onDone(this._target);
    (next ?? this._target).closest?.('.field')?.scrollIntoView({ block: 'center' });
  }
}
