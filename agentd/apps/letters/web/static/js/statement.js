// /verify: what stands after the # of a letter's address is its signed statement. Sent in a body, never in an address.

const said = location.hash.slice(1);
addEventListener('hashchange', () => location.reload());

/** The server's answer to code and statement together takes the place of its answer to the code alone. */
async function read() {
  const main = document.querySelector('main');
  main.ariaBusy = 'true';
  try {
    const body = new URLSearchParams({ statement: said });
    const response = await fetch(location.pathname + location.search, { method: 'POST', body, headers: { Accept: 'text/html' } });
    const answer = new DOMParser().parseFromString(await response.text(), 'text/html');
    main.replaceWith(answer.querySelector('main'));
    document.title = answer.title;
    const heading = document.querySelector('h1');
    heading.tabIndex = -1;
    heading.focus();
  } catch {
    main.ariaBusy = 'false';
    document.querySelector('#unread').hidden = false;
  }
  for (const link of document.querySelectorAll('a[hreflang]')) link.hash = location.hash;
  document.documentElement.dataset.ready = 'true';
}

if (said) read();
