// Makes DOM nodes. Text is always text: nothing here ever parses HTML, so a name with a tag in it stays a name.

/** h('button', {class: 'big', onclick: go, 'aria-label': '…'}, 'text', node, [more]) → element */
export function h(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (name === 'class') node.className = value;
    else if (name in node && typeof value !== 'string') node[name] = value;
    else node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

export const $ = (selector, root = document) => root.querySelector(selector);

/** Shows only these nodes in `parent`. */
export function fill(parent, ...children) {
  parent.replaceChildren(...children.flat(Infinity).filter(Boolean));
}

/** Calls `act` once however often the button is tapped while it is under way. */
export function once(act) {
  let busy = false;
  return async (event) => {
    if (busy) return;
    busy = true;
    try {
      await act(event);
    } finally {
      busy = false;
    }
  };
}

const SETTLED_MS = 500; // the second tap of a double tap has come by then

/** What has just come under the finger takes no tap for a moment: it was meant for what stood there before. */
export function settle(node) {
  node.classList.add('settling');
  setTimeout(() => node.classList.remove('settling'), SETTLED_MS);
  return node;
}

/** Calls `act` for the first of taps that follow each other at once. */
export const unhurried = (act) => once(async (event) => (act(event), await new Promise((done) => setTimeout(done, SETTLED_MS))));

/** Redraws `root`, keeping focus; focus moves to `instead` if the focused element is gone. */
export function redrawn(root, draw, instead) {
  const held = root.contains(document.activeElement) ? document.activeElement : null;
  draw();
  if (held && document.activeElement === document.body) (held.isConnected ? held : instead).focus();
}

/** A secret of 192 random bits, in base64url. */
export function randomKey() {
  const bytes = String.fromCharCode(...crypto.getRandomValues(new Uint8Array(24)));
  return btoa(bytes).replaceAll('+', '-').replaceAll('/', '_');
}

/** A random id; crypto.randomUUID exists only on https and localhost. */
export function randomId() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
