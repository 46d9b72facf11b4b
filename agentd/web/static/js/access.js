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

/** Headers of every request to the daemon. */
export function headers(more = {}) {
  return token ? { ...more, Authorization: `Bearer ${token}` } : more;
}
