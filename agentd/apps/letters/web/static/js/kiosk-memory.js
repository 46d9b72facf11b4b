// The ids of sessions this kiosk began and has not yet removed at the daemon: so that a crashed tab's are removed by
// the next one. An id names nobody; beside it stands the SHA-256 of the visitor's key, which removes a session and opens
// none. No word of a citizen is ever kept in the browser.

import { forget } from './page.js';

const KEY = 'agentd-kiosk-sessions';
const lockOf = (id) => `agentd-kiosk-${id}`;
const digestOf = (id) => `agentd-kiosk-digest-${id}`;

const read = () => JSON.parse(localStorage.getItem(KEY) ?? '[]');
const write = (ids) => localStorage.setItem(KEY, JSON.stringify(ids));

/** Notes a session and holds it as this tab's own while the tab lives. */
export function own(id, key) {
  write([...read(), id]);
  navigator.locks?.request(lockOf(id), () => new Promise(() => {}));
  // Without https there is no digest: what a crash leaves is then removed by the daemon's own purge.
  crypto.subtle?.digest('SHA-256', new TextEncoder().encode(key)).then((bytes) => {
    const hex = [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
    if (read().includes(id)) localStorage.setItem(digestOf(id), hex);
  });
}

/** Removes a session at the daemon, then its note. */
export async function remove(id, key) {
  await forget(id, key);
  write(read().filter((one) => one !== id));
  localStorage.removeItem(digestOf(id));
}

/** Removes what tabs that are gone have left. */
export async function sweep() {
  for (const id of read()) {
    const gone = () => remove(id, localStorage.getItem(digestOf(id)) ?? '');
    if (!navigator.locks) await gone();
    else await navigator.locks.request(lockOf(id), { ifAvailable: true }, (lock) => lock && gone());
  }
}
