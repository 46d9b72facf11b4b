// The page's bearer token, where the office uses tokens. It is given once as `#token=…` in the address, which is then
// cleaned, or typed into the desk's door; it lives as long as the tab.

const KEY = 'agentd-token';

function taken() {
  const given = new URLSearchParams(location.hash.slice(1)).get('token');
  if (given) {
    sessionStorage.setItem(KEY, given);
    history.replaceState(null, '', location.pathname + location.search);
  }
  return given ?? sessionStorage.getItem(KEY);
}

let token = taken();

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
