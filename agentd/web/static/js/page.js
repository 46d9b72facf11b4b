// What the kiosk and the chat page have in common: one conversation on the screen, its cards, its form, its voice.

import { useVisit } from './access.js';
import { Bubbles } from './bubbles.js';
import { Conversation } from './conversation.js';
import { $, fill, h, redrawn } from './dom.js';
import { fieldForm, focusField } from './field-form.js';
import { named } from './glossary.js';
import { loadCatalogue, spoken } from './letters.js';
import { callSurely } from './rpc.js';
import { say } from './speak.js';
import { isBusy, waiting } from './turns.js';
import { chosenLanguage, t } from './words.js';

const HEARD_MS = 1500; // a screen reader has taken the words over by then

export class Page {
  /** `hooks`: {onScreen, printing, mayOpen, onFinish?, onAnother?, say(text), showStart(), showTalk(), showForm(), onChange(turn, what)}. */
  constructor(hooks) {
    this.hooks = hooks;
    this.catalogue = null;
    this.conversation = null;
    this.members = []; // of the family of who signed in, as a form takes them
    this._answered = new Set();
    this._led = new WeakSet();
    addEventListener('offline', () => this._link('lost'));
    addEventListener('online', () => this._link('ok'));
    this.bubbles = new Bubbles($('#turns'), {
      catalogue: () => this.catalogue,
      conversation: () => this.conversation,
      onEdit: (turn) => this.edit(turn),
      say: hooks.say,
      printing: hooks.printing,
      mayOpen: hooks.mayOpen,
      onFinish: hooks.onFinish,
      onAnother: hooks.onAnother,
    });
  }

  /** Begins a conversation under this id; `key` is the visitor's own, and opens it. */
  begin(sessionId, key) {
    useVisit(key);
    this.conversation?.close();
    this.bubbles.clear();
    this.conversation = new Conversation({
      sessionId,
      language: chosenLanguage,
      onChange: (turn, what) => this._changed(turn, what),
      onLink: (state) => this._link(state),
    });
    this._facts();
    return this.conversation;
  }

  async load() {
    this.catalogue = await loadCatalogue().catch((error) => {
      if (error.type === 'unauthorized' || error.type === 'forbidden') throw error;
      return null;
    });
  }

  /** The form of a letter; its lines are what the citizen says. `left`: the fields that the register leaves to them. */
  fillIn(letter, { left = null } = {}) {
    const fields = this._fields(letter.tool).filter((field) => !left || left.includes(field.name));
    this._form(letter.title, fields, {}, [], 'submit', (values) => this._order(letter, fields, values));
  }

  /** A form's fields; whom of their own family they mean is tapped. */
  _fields(tool) {
    const fields = this.catalogue?.fields(tool) ?? [];
    if (!this.members.length) return fields;
    return fields.map((field) => (field.source === 'family' ? { ...field, kind: 'choice', choices: this.members } : field));
  }

  /** Corrects what waits for a yes; what the register holds is the office's to correct. */
  edit(turn) {
    const approval = waiting(turn);
    if (!approval) return;
    if (!turn.form) return this._correct(approval.tool, approval.arguments, [], null);
    const fields = this._fields(approval.tool).filter((field) => approval.sources?.[field.name] !== 'register');
    const letter = { tool: approval.tool, title: this.catalogue.title(approval.tool) };
    this._form(letter.title, fields, approval.arguments, [], 'submit_change', async (values) => {
      await this.conversation.decide(turn, approval, false);
      await this._order(letter, fields, values);
    });
  }

  /** Asks for the letter with exactly what stands in its form. */
  _order(letter, fields, values) {
    const typed = Object.fromEntries(fields.map((field) => [field.name, values[field.name]?.trim()]).filter(([, value]) => value));
    return this.conversation.send(`${t('i_want', { title: letter.title })}\n${spoken(fields, values)}`, { tool: letter.tool, typed });
  }

  /** What is known and missing, as a form; `field` is the one to begin with. */
  complete(field) {
    const form = this.conversation.form;
    if (form) this._correct(form.tool, form.known, form.missing, field);
  }

  redraw() {
    this.bubbles.redraw(this.conversation.turns);
    this._facts();
    if ($('#form').firstChild) this._drawForm();
  }

  _correct(tool, known, missing, field) {
    const fields = this._fields(tool);
    const label = missing.length ? 'submit' : 'submit_change';
    this._form(this.catalogue.title(tool), fields, known, missing, label, (values, changed) => {
      const replaced = Object.keys(changed).some((name) => name in known);
      const words = spoken(fields, changed);
      if (words) this.conversation.send(replaced ? t('correction', { fields: words }) : words);
    });
    if (field) focusField($('#form'), field);
  }

  _form(title, fields, values, missing, submitLabel, onSubmit) {
    const onScreen = this.hooks.onScreen;
    const opener = document.activeElement;
    const typed = {};
    const form = () => fieldForm({
      title,
      fields,
      values,
      typed,
      missing,
      submitLabel: t(submitLabel),
      onScreen,
      onSubmit: (all, changed) => {
        fill($('#form'));
        this.hooks.showTalk();
        onSubmit(all, changed);
      },
      onCancel: () => {
        fill($('#form'));
        if (this.conversation.turns.length) this.hooks.showTalk();
        else this.hooks.showStart();
        opener.focus(); // one that is gone takes no focus: the view has it
      },
    });
    this._drawForm = () => fill($('#form'), form()); // in another language it is the same form
    this._drawForm();
    this.hooks.showForm();
    focusField($('#form'), missing[0] ?? (fields.find((field) => field.required) ?? fields[0])?.name ?? '');
  }

  _changed(turn, what) {
    this.bubbles.changed(turn, what);
    this._lead(turn);
    this.hooks.onChange(turn, what);
    if (what === 'delta') return;
    this._facts();
    this._announce(turn);
  }

  /** Who isn't writing is led to the card that is to be checked or was issued; never onto its "yes". */
  _lead(turn) {
    const card = $('.turn:last-child .card:is(.approval, .letter)', this.bubbles.list);
    if (!card || this._led.has(card)) return;
    this._led.add(card);
    if (!turn.restored && [document.body, this.bubbles.scroller].includes(document.activeElement)) card.focus();
  }

  /** The answer, once it is whole, to screen readers and to the voice. */
  _announce(turn) {
    if (isBusy(turn)) return;
    const part = turn.parts.at(-1);
    const key = `${turn.runId}:${turn.parts.length}`;
    if (!part || this._answered.has(key) || turn.restored) return;
    this._answered.add(key);
    const letter = turn.parts.findLast((one) => one.kind === 'letter');
    const words = part.text ?? part.approval?.summary ?? '';
    const announcer = $('#announcer');
    announcer.textContent = letter ? `${t('letter_ready')}. ${words}` : words;
    setTimeout(() => (announcer.textContent = ''), HEARD_MS);
    say(words);
  }

  /** The card beside the talk: what the letter has and what it still needs. */
  _facts() {
    const panel = $('#facts');
    const form = this.conversation.form;
    const fields = form && this.catalogue?.fields(form.tool);
    const last = this.conversation.turns.at(-1);
    const shown = Boolean(fields?.length && form.missing.length && last && !isBusy(last) && !waiting(last));
    const draw = () => ((panel.hidden = !shown), fill(panel, shown && this._rows(fields, form)));
    redrawn(panel, draw, this.bubbles.scroller);
  }

  _rows(fields, form) {
    const rows = fields.filter((field) => field.required || field.name in form.known || form.missing.includes(field.name));
    return [
      h('h2', {}, t('form_title'), ': ', named(this.catalogue.title(form.tool))),
      h('ul', { class: 'facts' }, rows.map((field) => this._fact(field, form))),
    ];
  }

  _fact(field, form) {
    const missing = form.missing.includes(field.name) || !(field.name in form.known);
    const value = missing ? t('missing') : String(form.known[field.name]);
    return h(
      'li',
      { class: missing ? 'missing' : 'known' },
      h(
        'button',
        { type: 'button', onclick: () => this.complete(field.name), 'data-field': field.name },
        h('span', { class: 'label' }, named(field.label)),
        h('span', { class: 'value' }, value),
        h('span', { class: 'hint' }, t(missing ? 'fill' : 'change')),
      ),
    );
  }

  _link(state) {
    const bar = $('#link');
    bar.hidden = state === 'ok';
    if (state !== 'ok') bar.textContent = navigator.onLine ? t('lost') : t('offline');
  }
}

/** Removes a session at the daemon by its key (or that key's SHA-256); one that isn't there any more is removed, too. */
export async function forget(sessionId, key) {
  try {
    await callSurely('Session.delete', { session_id: sessionId }, { key });
  } catch (error) {
    if (error.type !== 'not_found') throw error;
  }
}
