// Watches whether somebody is still there: after a while it warns, gives time to stay, then lets the page wipe itself.

const ACTIVE = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart', 'input'];

export class Idle {
  /** onWarn(seconds) every second of the warning, onStay() when it is over, onLeave() when nobody answered. */
  constructor({ quietMs = 60_000, warnSeconds = 30, onWarn, onStay, onLeave }) {
    Object.assign(this, { quietMs, warnSeconds, onWarn, onStay, onLeave });
    this._left = null;
    this._timer = null;
    this._touched = () => this._left === null && this._wait();
  }

  start() {
    for (const type of ACTIVE) addEventListener(type, this._touched, { passive: true, capture: true });
    this._wait();
  }

  end() {
    for (const type of ACTIVE) removeEventListener(type, this._touched, { capture: true });
    clearTimeout(this._timer);
    this._left = null;
  }

  /** Something happened for the person (an answer came), or they said they are here. */
  stay() {
    const warned = this._left !== null;
    this._left = null;
    if (warned) this.onStay();
    this._wait();
  }

  _wait() {
    clearTimeout(this._timer);
    this._timer = setTimeout(() => this._count(this.warnSeconds), this.quietMs);
  }

  _count(left) {
    this._left = left;
    if (left <= 0) return this.onLeave();
    this._timer = setTimeout(() => this._count(left - 1), 1000);
    this.onWarn(left);
  }
}
