// The officer's page: what waits for a yes, a day's letters, checking a letter, how the services stand. Live.

import { fieldList } from './approval-card.js';
import { $, fill, h, once, redrawn } from './dom.js';
import { fieldForm, focusField } from './field-form.js';
import { login, shut, staffOnly } from './login.js';
import { named } from './glossary.js';
import { loadCatalogue } from './letters.js';
import { call, pause } from './rpc.js';
import { correctionCard, figures, opener, readyList, requestDetails, requestLine, showTicks, unsaved, whyNot } from './request-desk.js';
import { healthList, runTable } from './standing.js';
import { verification } from './verify.js';
import { day, said, speakAsAsked, t, time } from './words.js';

const EVERY_MS = 3000;
let catalogue = null;
let shown = { pending: '', ready: '', corrections: '', letters: '', figures: '', health: '', runs: '' };
let today = null; // {today, letters} of the office's day, as last heard
const refreshes = { begun: 0, drawn: 0 }; // the number of the last one that was begun, and of the last one that was drawn
const nodes = { pending: new Map(), corrections: new Map(), letters: new Map() };
let sought = { day: '', words: '', found: null }; // `day` '' is today by the office's clock, `found` a letter of any day

/** Draws a part only when its data changed, so that nobody's focus is lost under their hands. */
function drawn(part, data, draw) {
  const text = JSON.stringify(data);
  if (text === shown[part]) return;
  shown[part] = text;
  const root = $(`#${part}`);
  redrawn(root, () => fill(root, draw(data)), $('h2', root.closest('section')));
}

/** What shows the same data is the same node: a press, a note, a dialog's way back outlive what else comes into a list. */
function kept(part, list, draw) {
  const old = nodes[part];
  nodes[part] = new Map(list.map((one) => [JSON.stringify(one), old.get(JSON.stringify(one)) ?? draw(one)]));
  return [...nodes[part].values()];
}

async function refresh() {
  const [wanted, number] = [sought, (refreshes.begun += 1)];
  // Alone: a token that is no longer good is refused once, not once for each call.
  const waiting = await call('Agent.list', { status: 'needs_approval', limit: 500 });
  const [asked, corrected, listed, health, runs, parked] = await Promise.all([
    call('Request.list', { limit: 1000 }),
    call('Correction.list'),
    catalogue.ask('list_issued_letters', wanted.day ? { date: wanted.day } : {}),
    call('System.health'),
    call('Agent.list', { limit: 15 }),
    call('Agent.list', { parked: true, limit: 5 }),
  ]);
  if (number < refreshes.drawn) return; // it was asked before what is shown by now
  refreshes.drawn = number;
  drawn('pending', queued(waiting.runs, asked.requests), pendingList);
  showTicks(asked.requests);
  const ready = asked.requests.filter((request) => request.status === 'ready').reverse();
  drawn('ready', ready, (all) => readyList(all, catalogue, () => refresh().catch(lost)));
  $('#ready-part').hidden = !ready.length;
  $('#pending-count').textContent = waiting.runs.length || '';
  drawn('corrections', corrected.corrections, correctionList);
  $('#corrections-count').textContent = corrected.corrections.length || '';
  $('#corrections-part').hidden = !corrected.corrections.length && $('#corrections-part').hidden;
  if (sought === wanted) letters(listed.output);
  if (!wanted.day) today = { today: listed.output.date, letters: listed.output.letters };
  if (today) drawn('figures', { ...today, requests: asked.requests }, figures);
  const { uptime_s: _, ...state } = health;
  drawn('health', { ...state, parked: parked.runs }, healthList);
  drawn('runs', runs.runs, runTable);
}

/** Those who wait for an officer first, in the order they came; each with its request. */
function queued(runs, requests) {
  const byRun = new Map(requests.map(({ requirements, ...request }) => [request.run_id, { ...request, requirements: requirements.map(({ requirement }) => ({ requirement })) }]));
  const all = runs.map((run) => ({ ...run, request: byRun.get(run.run_id) ?? null }));
  return [...all.filter((run) => run.request).reverse(), ...all.filter((run) => !run.request)];
}

const nobody = () => h('p', { class: 'note' }, t('desk_nobody'));
const pendingList = (runs) => (runs.length ? kept('pending', runs, pendingCard) : nobody());

function correctionList(corrections) {
  const cards = kept('corrections', corrections, (one) => correctionCard(one, () => refresh().catch(lost)));
  const ended = [...$('#corrections').children].filter((card) => !cards.includes(card) && unsaved(card));
  return cards.length ? [...ended, ...cards] : [...ended, nobody()];
}

/** Whom each value is from, as an officer reads it: what a citizen sees as "from you" is from the applicant. */
const toOfficer = (sources = {}) => Object.fromEntries(Object.entries(sources).map(([name, from]) => [name, from === 'citizen' ? 'applicant' : from]));

function pendingCard(run) {
  const { approval } = run;
  const note = h('p', { class: 'note', role: 'alert' });
  const decide = (approved, changed) =>
    once(async () => {
      const params = { run_id: run.run_id, approval_id: approval.approval_id, approved };
      $('#late').textContent = '';
      try {
        await call('Agent.approve', changed ? { ...params, arguments: changed } : params);
      } catch (error) {
        const late = error.type === 'conflict'; // the next refresh takes the card away, and what it says
        (late ? $('#late') : note).textContent = late ? tooLate(run, approved) : whyNot(error);
      }
      await refresh().catch(lost);
    });
  const edit = () => editForm(approval, (values) => decide(true, values)());
  return h(
    'article',
    { class: 'card approval', 'data-run': run.run_id },
    h('h3', {}, named(catalogue.title(approval.tool))),
    run.request && requestLine(run.request),
    h('p', { class: 'fine' }, t('desk_asked', { asked: time(run.created_at), until: `${run.request ? `${day(approval.expires_at)} ` : ''}${time(approval.expires_at)}` })),
    fieldList(catalogue.fields(approval.tool), approval.arguments, toOfficer(approval.sources)),
    run.request && requestDetails(run),
    changesOf(approval),
    agreedBy(approval),
    h(
      'div',
      { class: 'actions' },
      h('button', { type: 'button', class: 'primary', onclick: decide(true), 'data-act': 'yes' }, t('desk_yes')),
      h('button', { type: 'button', onclick: edit, 'data-act': 'edit' }, t('desk_edit_yes')),
      h('button', { type: 'button', class: 'quiet', onclick: decide(false), 'data-act': 'no' }, t('desk_no')),
    ),
    run.request && h('p', { class: 'hint', 'data-until-ticked': '', hidden: true }, t('desk_until_ticked')),
    note,
  );
}

const tooLate = ({ approval, request }, approved) =>
  t(approved ? 'desk_late_yes' : 'desk_late_no', { letter: `${catalogue.title(approval.tool)} ${request?.queue_number ?? ''}`.trim() });

/** What an officer changed, beside what was proposed. */
function changesOf({ tool, proposed, arguments: now }) {
  if (!proposed) return null;
  const label = (name) => catalogue.fields(tool).find((field) => field.name === name)?.label ?? name;
  const changed = Object.keys({ ...proposed, ...now }).filter((name) => proposed[name] !== now[name]);
  const line = (name) => h('li', { 'data-changed': name }, t('desk_changed_from', { field: label(name), before: proposed[name] ?? '–', after: now[name] ?? '–' }));
  return h('div', { class: 'note' }, t('desk_changed'), h('ul', {}, changed.map(line)));
}

/** Who has agreed already, where a second officer must. */
function agreedBy({ approvals }) {
  if (!approvals?.length) return null;
  const names = approvals.map(({ by, at }) => `${by} (${time(at)})`).join(', ');
  return h('p', { class: 'note', 'data-second': true }, t('desk_agreed', { names }));
}

function editForm(approval, onValues) {
  const dialog = $('#edit');
  const fields = catalogue.fields(approval.tool);
  const form = fieldForm({
    title: catalogue.title(approval.tool),
    fields,
    values: approval.arguments,
    submitLabel: t('desk_submit'),
    onSubmit: (values) => {
      dialog.close();
      onValues(Object.fromEntries(Object.entries(values).filter(([, value]) => value.trim())));
    },
    onCancel: () => dialog.close(),
  });
  fill($('#form'), form);
  dialog.showModal();
  focusField(form, fields[0]?.name ?? '');
}

/** The chosen day's letters that fit what is sought; else the one letter of that number, whatever its day. */
function letters({ date, letters: all }) {
  if (!sought.day) $('#day').max = date;
  if (!sought.day && document.activeElement !== $('#day')) $('#day').value = date;
  const today = !sought.day || date === $('#day').max;
  $('#letters-title').textContent = today ? t('desk_today_letters') : t('desk_day_letters', { day: day(date) });
  const fitting = all.filter((letter) => fits(letter, sought.words));
  const found = sought.found && !fitting.some((letter) => letter.number === sought.found.number) ? [sought.found] : [];
  const none = t(sought.words ? 'desk_none_fit' : today ? 'desk_none_today' : 'desk_none_day');
  drawn('letters', { fitting, found, none }, () => lettersTable([...fitting, ...found], none));
}

/** By a part of the number, or by the first letters of the name's words, which is all that is shown. */
function fits(letter, words) {
  const wanted = words.toUpperCase();
  if (!wanted || letter.number.toUpperCase().includes(wanted)) return true;
  const initials = letter.name_masked.split(' ').map((word) => word[0]?.toUpperCase());
  return !/\d/.test(wanted) && wanted.split(/\s+/).every((word) => initials.includes(word[0]));
}

/** Looks for what the fields say now; an answer to what they said before is not shown. */
async function find() {
  const words = $('#sought').value.trim();
  const wanted = { day: $('#day').value === $('#day').max ? '' : $('#day').value, words, found: null };
  sought = wanted;
  if (words.includes('/')) {
    const status = await catalogue.ask('get_letter_status', { number: words.toUpperCase() }).catch(() => null);
    if (status?.output?.title) wanted.found = status.output;
  }
  if (sought === wanted) await refresh().catch(lost);
}

const COLUMNS = ['number', 'title', 'name', 'time', 'approved', 'status', 'acts'];

function lettersTable(letters, none) {
  if (!letters.length) return h('p', { class: 'note' }, none);
  return h(
    'div',
    { class: 'table', tabindex: '0', role: 'region', 'aria-label': t('desk_list') },
    h(
      'table',
      {},
      h('thead', {}, h('tr', {}, COLUMNS.map((name) => h('th', { scope: 'col' }, said('desk_columns', name))))),
      h(
        'tbody',
        {},
        kept('letters', [...letters].reverse(), letterRow),
      ),
    ),
  );
}

function letterRow(letter) {
  const note = h('span', { class: 'note', role: 'alert' });
  const acts = () => [opener(catalogue, letter.number, note), ' ', h('button', { type: 'button', class: 'stop', onclick: () => askVoid(letter), 'data-act': 'void' }, t('desk_void_short')), note];
  return h(
    'tr',
    { 'data-number': letter.number },
    h('td', {}, letter.number),
    h('td', {}, letter.title),
    h('td', {}, letter.name_masked ?? ''),
    h('td', {}, letter.issued_at ? time(letter.issued_at) : day(letter.date)),
    h('td', {}, letter.approved_by ?? '–'),
    h(
      'td',
      { class: `state ${letter.status}` },
      said('desk_status', letter.status) ?? letter.status,
      letter.void_reason && `: ${letter.void_reason}`,
      letter.voided_by && h('span', { class: 'hint by' }, t('desk_by', { name: letter.voided_by })),
    ),
    h('td', {}, letter.status === 'issued' && acts()),
  );
}

function askVoid(letter) {
  $('#void-what').textContent = t('desk_void_what', { title: letter.title, number: letter.number, day: day(letter.date) });
  $('#void-note').textContent = '';
  $('#reason').value = '';
  $('#void').dataset.number = letter.number;
  $('#void').showModal();
  $('#reason').focus();
}

const voidLetter = once(async () => {
  try {
    await catalogue.ask('void_letter', { number: $('#void').dataset.number, reason: $('#reason').value });
    $('#void').close();
  } catch (error) {
    $('#void-note').textContent = whyNot(error);
  }
  await (sought.found ? find() : refresh().catch(lost));
});

/** A call failed: a token that is no longer good shuts the page, anything else may pass. */
function lost(error) {
  if (error.type === 'unauthorized' || error.type === 'forbidden') return shut(t('login_gone'));
  $('#link').hidden = false;
}

async function live() {
  for (;;) {
    try {
      await refresh();
      $('#link').hidden = true;
    } catch (error) {
      lost(error);
    }
    document.documentElement.dataset.ready = 'true';
    await pause(EVERY_MS);
  }
}

$('#void form').addEventListener('submit', (event) => (event.preventDefault(), voidLetter()));
$('#find').addEventListener('submit', (event) => (event.preventDefault(), find()));
$('#day').addEventListener('change', () => find());
$('#void-no').addEventListener('click', () => $('#void').close());
speakAsAsked('desk_title');
$('#sought').placeholder = t('desk_find_by');
$('#reason').title = t('desk_reason_least');
$('#edit').setAttribute('aria-label', t('desk_edit'));
verification();
await login({
  probe: staffOnly,
  open: async () => {
    catalogue = await loadCatalogue();
    $('#work').hidden = false;
    live();
  },
});
if (!$('#login').hidden) document.documentElement.dataset.ready = 'true';
