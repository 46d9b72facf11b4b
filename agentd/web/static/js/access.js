// The page's bearer token, where the office uses tokens. It is typed into the page's login form, never read from an address, and
// lives as long as the tab.

const KEY = 'agentd-token';

let token = sessionStorage.getItem(KEY);

export const hasToken = () => Boolean(token);

export function useToken(value) {
  token = value || null;
  if (token) sessionStorage.setItem(KEY, token);
  else sessionStorage.removeItem(KEY);
}

let visitKey = null;

/** From now on this page's requests are this visitor's: the key opens the visit's session, at the daemon and nowhere else. */
export function useVisit(key) {
  visitKey = key;
}

/** Headers of every request to the daemon; `key` in place of the visit's own. */
export function headers(more = {}, key = visitKey) {
  const all = { ...more };
  if (token) all.Authorization = `Bearer ${token}`;
  if (key) all['Agentd-Session-Key'] = key;
  return all;
}
