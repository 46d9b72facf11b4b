// Draws turns: what was said, what the agent is doing, its answer, its cards. It decides nothing.

import { $, fill, h, once, redrawn } from './dom.js';
import { approvalCard } from './approval-card.js';
import { letterCard } from './letter-card.js';
import { isBusy, waiting } from './turns.js';
import { doing, t } from './words.js';

const ABOVE = 12; // pixels left free above a card that asks for something

export class Bubbles {
  /** `context`: {catalogue(), conversation(), onEdit(turn), say(text), printing, mayOpen, onFinish?, onAnother?} shared by all cards. */
  constructor(list, context) {
    this.list = list;
    this._context = context;
    this._nodes = new Map();
    this._drawn = new Map();
  }

  changed(turn, what) {
    if (what === 'gone') {
      this._nodes.get(turn.runId)?.remove();
      this._nodes.delete(turn.runId);
    } else if (what === 'delta') this._live(turn);
    else this._draw(turn);
  }

  clear() {
    this._nodes.clear();
    this._drawn.clear();
    fill(this.list);
  }

  redraw(turns) {
    this.clear();
    for (const turn of turns) this._draw(turn);
  }

  _live(turn) {
    const text = this._nodes.get(turn.runId) && $('.live-text', this._nodes.get(turn.runId));
    if (text && turn.live) text.textContent = turn.live;
    else this._draw(turn);
    this._follow();
  }

  /** A button that was pressed may be gone then: its presser stands at the conversation, not at nothing. */
  _draw(turn) {
    redrawn(this.list, () => this._place(turn), this.scroller);
    this._follow();
  }

  _place(turn) {
    const node = h('li', { class: `turn ${turn.status}`, 'data-run': turn.runId, 'data-status': turn.status });
    node.append(said(turn.prompt));
    for (const [index, part] of turn.parts.entries()) {
      const drawn = this._part(turn, part, index);
      if (drawn) node.append(drawn);
    }
    if (isBusy(turn)) node.append(this._status(turn));
    if (this._context.catalogue()?.staff && turn.model && !isBusy(turn)) node.append(answeredBy(turn.model));
    if (turn.status === 'cancelled' && !turn.parts.some((part) => part.kind === 'approval')) {
      node.append(h('p', { class: 'note' }, t('stopped')));
    }
    const old = this._nodes.get(turn.runId);
    if (old?.isConnected) old.replaceWith(node);
    else this.list.append(node);
    this._nodes.set(turn.runId, node);
  }

  _status(turn) {
    if (turn.live) {
      return h('div', { class: 'bubble agent live' }, who(t('agent')), h('p', { class: 'live-text' }, turn.live));
    }
    if (turn.parts.at(-1)?.state === 'doing') return null;
    const words = { sending: t('sending'), queued: t('queued') }[turn.status] ?? t('thinking');
    return h('p', { class: 'activity' }, h('span', { class: 'dots', 'aria-hidden': 'true' }), words);
  }

  _part(turn, part, index) {
    switch (part.kind) {
      case 'said':
        return said(part.text);
      case 'answer':
        return h('div', { class: 'bubble agent' }, who(t('agent')), h('p', {}, part.text));
      case 'tool':
        return this._tool(part);
      case 'problem':
        return this._problem(turn, part);
      default:
        return this._card(turn, part, index);
    }
  }

  _tool(part) {
    if (part.state === 'failed') return null;
    const words = doing(part.tool, this._context.catalogue()?.title(part.tool));
    if (part.state === 'done') {
      return h('p', { class: 'activity done' }, h('span', { 'aria-hidden': 'true' }, '✓ '), words.replace('…', ''));
    }
    return h('p', { class: 'activity' }, h('span', { class: 'dots', 'aria-hidden': 'true' }), words);
  }

  _problem(turn, part) {
    const { conversation, say } = this._context;
    const again = once(() => (turn.form ? conversation().send(turn.prompt, turn.form) : say(turn.prompt)));
    return h(
      'div',
      { class: 'card problem', role: 'alert' },
      h('strong', {}, t('problem')),
      h('p', {}, part.type === 'unauthorized' ? t('not_connected') : part.text || t('lost')),
      turn.status === 'failed' && h('button', { type: 'button', onclick: again }, t('try_again')),
    );
  }

  /** Cards keep what they loaded (a preview) while the turn is redrawn. */
  _card(turn, part, index) {
    const state = part.kind === 'approval' ? `${part.decided}:${Boolean(waiting(turn))}:${turn.forStaff}` : 'letter';
    const key = `${turn.runId}:${index}:${state}`;
    if (!this._drawn.has(key)) {
      const draw = part.kind === 'approval' ? approvalCard : letterCard;
      this._drawn.set(key, draw(turn, part, this._context));
    }
    return this._drawn.get(key);
  }

  get scroller() {
    return this.list.closest('.scroll');
  }

  _follow() {
    const scroller = this.scroller;
    const card = $('.turn:last-child :is(.card.approval, .card.letter)', this.list);
    // Not scrollIntoView(): that scrolls the page round it, too.
    if (card) scroller.scrollTop += card.getBoundingClientRect().top - scroller.getBoundingClientRect().top - ABOVE;
    else scroller.scrollTop = scroller.scrollHeight;
  }
}

const who = (name) => h('span', { class: 'sr-only' }, `${name}: `);

const said = (text) => h('div', { class: 'bubble you' }, who(t('you')), h('p', {}, text));

/** For staff only: a citizen need not know. */
function answeredBy({ provider, model, fallbacks }) {
  const passed = [...new Set(fallbacks.map((one) => `${one.provider} (${one.kind})`))].join(', '); // each once for all turns
  return h('p', { class: 'fine by' }, `${provider}/${model}${passed ? ` ← ${passed}` : ''}`);
}
