// One conversation with the agent: sends words, follows runs, decides approvals, comes back after a reload. It owns the
// turns and tells its listener what changed; it draws nothing.

import { randomId } from './dom.js';
import { RpcError, call, callSurely, isPassing, pause } from './rpc.js';
import { follow } from './stream.js';
import { BUSY, apply, formState, isBusy, newTurn, waiting } from './turns.js';

const WATCH_MS = 3000; // how often a turn that waits for staff is looked at
const RESTORED = 30; // turns that are replayed with all their events after a reload

export class Conversation {
  /** onChange(turn, what): what is 'new', 'delta' or 'change'; onLink('ok'|'lost') tells how the line is. */
  constructor({ sessionId = randomId(), language = () => undefined, onChange, onLink = () => {} }) {
    this.sessionId = sessionId;
    this.turns = [];
    this._language = language;
    this._onChange = onChange;
    this._onLink = onLink;
    this._ended = new AbortController();
    this._watched = new Set();
    this._followed = new Map();
  }

  get busy() {
    return this.turns.some(isBusy);
  }

  get form() {
    return formState(this.turns);
  }

  /** The turn whose approval waits for a yes. */
  get pending() {
    return this.turns.findLast((turn) => waiting(turn)) ?? null;
  }

  /**
   * Sends the person's words. The same words go out once, however often the line breaks. `form`, {tool, typed}: they come
   * from a letter's form, which the daemon takes as it is. What a form says while another tab's answer comes is sent
   * after it.
   */
  async send(prompt, form = null) {
    while (this.busy) await this.idle();
    if (this._ended.signal.aborted) return;
    const turn = { ...newTurn(randomId(), prompt), form };
    this._add(turn);
    try {
      const language = this._language();
      const params = { prompt, session_id: this.sessionId, run_id: turn.runId };
      if (language) params.options = { language };
      if (form) params.options = { ...params.options, tool_hint: form.tool, tool_arguments: form.typed };
      const started = await this._surely('Agent.start', params);
      const answering = started.run_id === turn.runId ? turn : this._joined(turn, started.run_id);
      if (turn.stopped) await this._stop(answering);
      if (answering === turn) await this._lookAtWaiting(turn);
      await this._follow(answering);
    } catch (error) {
      this._failed(turn, error);
    }
  }

  /** Decides this approval of the turn, whose arguments were on the screen; one that no longer waits says so itself. */
  async decide(turn, approval, approved) {
    await this._followed.get(turn)?.catch(() => {}); // another tab brought news of it: they are told first
    if (waiting(turn)?.approval_id !== approval.approval_id) return;
    turn.status = 'running';
    this._changed(turn);
    const params = { run_id: turn.runId, approval_id: approval.approval_id, approved };
    // The answer comes when the run has ended; the stream is taken up as soon as the decision was taken.
    let over = false;
    const decided = this._approve(params).finally(() => (over = true));
    decided.catch(() => {});
    try {
      while (!over && !(await this._decided(turn))) await pause(60, this._ended.signal);
      if (over) await decided;
      this._onLink('ok');
      await this._follow(turn);
    } catch (error) {
      if (error.type === 'forbidden') this._forStaff(turn);
      else if (error.type === 'conflict') await this._otherwise(turn, error);
      else this._failed(turn, error);
    }
  }

  /** Stops what is under way, also when the line breaks meanwhile. */
  async stop() {
    await Promise.all(this.turns.filter(isBusy).map((turn) => this._stop(turn)));
  }

  /** A turn that is still being sent is stopped as soon as the daemon has it. */
  async _stop(turn) {
    turn.stopped = true;
    await this._surely('Agent.cancel', { run_id: turn.runId }).catch((error) => {
      if (error.type === 'not_found' && turn.status !== 'sending') this._failed(turn, error);
    });
  }

  /** Waits until nothing is under way. */
  async idle() {
    while (this.busy) await pause(60);
  }

  /** Brings the conversation back after a reload; true when there was one. */
  async restore() {
    let session;
    try {
      session = await this._surely('Session.get', { session_id: this.sessionId });
    } catch (error) {
      if (error.type === 'not_found') return false;
      throw error;
    }
    const known = new Set(this.turns.map((turn) => turn.runId));
    // A plain "ya" is kept as a run without an answer of its own: what it decided shows it.
    const said = session.history.filter((run) => run.status !== 'completed' || run.response || run.steps.length);
    const fresh = said.filter((run) => !known.has(run.run_id)).slice(-RESTORED);
    const turns = fresh.map((run) => this._add({ ...newTurn(run.run_id, run.prompt, 'queued'), gap: true, restored: true }));
    await Promise.all(
      [...turns, ...this.turns.filter((turn) => waiting(turn))].map((turn) =>
        this._follow(turn).catch((error) => this._failed(turn, error)),
      ),
    );
    return session.history.length > 0;
  }

  /** Lets go of everything on this page; nothing more is shown. */
  close() {
    this.turns = [];
    this._ended.abort(new DOMException('the conversation is closed', 'AbortError'));
  }

  _add(turn) {
    this.turns.push(turn);
    this._onChange(turn, 'new');
    return turn;
  }

  _changed(turn) {
    this._onChange(turn, 'change');
  }

  async _surely(method, params) {
    const answer = await callSurely(method, params, { signal: this._ended.signal, onWaiting: () => this._onLink('lost') });
    this._onLink('ok');
    return answer;
  }

  /** "ya, benar" answers the run that waits: the words belong to its turn. */
  _joined(turn, runId) {
    this.turns.splice(this.turns.indexOf(turn), 1);
    this._onChange(turn, 'gone');
    const answering = this.turns.find((one) => one.runId === runId) ?? this._add(newTurn(runId, turn.prompt));
    answering.parts.push({ kind: 'said', text: turn.prompt });
    answering.status = 'running';
    this._changed(answering);
    return answering;
  }

  /** Follows a turn to its end; other callers for the same turn share the wait. */
  _follow(turn) {
    if (!this._followed.has(turn)) {
      this._followed.set(turn, this._toItsEnd(turn).finally(() => this._followed.delete(turn)));
    }
    return this._followed.get(turn);
  }

  /** A daemon that died told events which it had not stored: a run that goes on may have others under their numbers. */
  async _toItsEnd(turn) {
    await this._read(turn);
    if (isBusy(turn)) {
      Object.assign(turn, { lastSeq: 0, parts: turn.parts.filter((part) => part.kind === 'said') });
      await this._read(turn);
    }
    if (turn.status === 'failed') await this._explain(turn);
    if (isBusy(turn)) await this._refresh(turn);
    turn.restored = false;
    this._wait(turn);
  }

  /** Applies the run's events after the last one applied, until it rests. */
  _read(turn) {
    return follow(turn.runId, turn.lastSeq, {
      signal: this._ended.signal,
      onOpen: () => this._onLink('ok'),
      isOver: async () => !BUSY.has((await call('Agent.get', { run_id: turn.runId })).status),
      onEvent: (event) => {
        if (apply(turn, event)) this._onChange(turn, event.type === 'model.delta' ? 'delta' : 'change');
      },
      onGap: () => {
        turn.gap = true;
        turn.live = '';
        this._changed(turn);
      },
      onWaiting: () => this._onLink('lost'),
    });
  }

  /** The same decision of the same approval, however often the line breaks; a run that fails later tells so itself. */
  async _approve(params) {
    let lost = false;
    const onWaiting = () => ((lost = true), this._onLink('lost'));
    try {
      await callSurely('Agent.approve', params, { signal: this._ended.signal, onWaiting });
    } catch (error) {
      const taken = lost && error.type === 'conflict'; // before the line broke
      if (!(error instanceof RpcError && error.data.run_id) && !taken) throw error;
    }
  }

  /** True once the daemon took the decision (or nothing waits any more). */
  async _decided(turn) {
    try {
      return (await call('Agent.get', { run_id: turn.runId })).status !== 'needs_approval';
    } catch (error) {
      if (isPassing(error)) return false;
      throw error;
    }
  }

  /** Somebody else (staff, another tab) has decided it otherwise meanwhile: what came of that is shown. */
  async _otherwise(turn, error) {
    try {
      await this._refresh(turn, error);
      await this._follow(turn);
    } catch (again) {
      this._failed(turn, again);
    }
  }

  /** A failed run says why in the person's words. */
  async _explain(turn) {
    const problem = turn.parts.findLast((part) => part.kind === 'problem');
    if (!problem || problem.text) return;
    const run = await this._surely('Agent.get', { run_id: turn.runId });
    problem.text = run.error?.data?.user_message ?? '';
    this._changed(turn);
  }

  /** This yes is staff's to give: the page says so and waits for it. */
  _forStaff(turn) {
    turn.status = 'needs_approval';
    turn.forStaff = true;
    this._changed(turn);
    this._wait(turn);
  }

  /** Takes the run's state from the daemon where events did not tell it. */
  async _refresh(turn, error) {
    const run = await this._surely('Agent.get', { run_id: turn.runId });
    turn.status = run.status;
    if (error && run.status !== 'completed') turn.parts.push({ kind: 'problem', type: error.type, text: error.userMessage });
    if (!waiting(turn)) {
      for (const part of turn.parts) if (part.kind === 'approval' && part.decided === null) part.decided = false;
    }
    this._changed(turn);
  }

  /** A new turn may have withdrawn what waited before. */
  async _lookAtWaiting(newest) {
    for (const turn of this.turns) if (turn !== newest && waiting(turn)) await this._refresh(turn);
  }

  /** Looks now and then whether somebody else (staff, another tab) has decided what waits here. */
  async _wait(turn) {
    if (this._watched.has(turn) || !waiting(turn)) return;
    this._watched.add(turn);
    try {
      while (waiting(turn)) {
        await pause(WATCH_MS, this._ended.signal);
        if (waiting(turn) && (await this._decided(turn))) {
          this._watched.delete(turn);
          await this._follow(turn);
        }
      }
    } catch (error) {
      if (!this._ended.signal.aborted) this._failed(turn, error);
    } finally {
      this._watched.delete(turn);
    }
  }

  _failed(turn, error) {
    if (this._ended.signal.aborted) return;
    turn.status = 'failed';
    turn.live = '';
    turn.parts.push({ kind: 'problem', type: error.type ?? 'internal', text: error.userMessage ?? '' });
    this._changed(turn);
  }
}
