// The ids of sessions this kiosk began and has not yet removed at the daemon: so that a crashed tab's are removed by
// the next one. An id names nobody; no word of a citizen is ever kept in the browser.

import { forget } from './page.js';

const KEY = 'agentd-kiosk-sessions';
const lockOf = (id) => `agentd-kiosk-${id}`;

const read = () => JSON.parse(localStorage.getItem(KEY) ?? '[]');
const write = (ids) => localStorage.setItem(KEY, JSON.stringify(ids));

/** Notes a session and holds it as this tab's own while the tab lives. */
export function own(id) {
  write([...read(), id]);
  navigator.locks?.request(lockOf(id), () => new Promise(() => {}));
}

/** Removes a session at the daemon, then its note. */
export async function remove(id) {
  await forget(id);
  write(read().filter((one) => one !== id));
}

/** Removes what tabs that are gone have left. */
export async function sweep() {
  for (const id of read()) {
    if (!navigator.locks) await remove(id);
    else await navigator.locks.request(lockOf(id), { ifAvailable: true }, (lock) => lock && remove(id));
  }
}
