// Questions to the office's books or its graph: the answer with its figures, its table, a chart, and how it was found.

import { chart } from './chart.js';
import { $, h, once, randomId } from './dom.js';
import { graphTable } from './graph-table.js';
import { login, shut, staffOnly } from './login.js';
import { call, callSurely, get } from './rpc.js';
import { follow } from './stream.js';
import { dataTable } from './table.js';
import { said, speakAsAsked, t } from './words.js';

const sessionId = randomId();
const METHODS = { analytics: 'Analytics.ask', graph: 'Graph.ask' };
const LATE_MS = 15_000; // from then on the page says that others may be served first
let catalogue;

/** How far it is, from the run's events, where it has any. */
function watch(runId, signal) {
  const onEvent = (event) => {
    const node = event.type === 'tool.started' && said('ask_nodes', event.data.tool);
    if (node) $('#progress').textContent = node;
  };
  const isOver = async () => (await call('Agent.get', { run_id: runId })).status === 'completed';
  follow(runId, 0, { onEvent, isOver, signal }).catch(() => {}); // the answer itself tells of every failure
}

const lost = () => ($('#progress').textContent = t('ask_lost'));

const ask = once(async () => {
  const question = $('#question').value.trim();
  if (!question) return;
  const ended = new AbortController();
  const params = { question, session_id: sessionId, run_id: randomId() };
  const method = $('#source').value;
  if ($('#style').value && method === METHODS.analytics) params.plan_style = $('#style').value;
  $('#go').disabled = true;
  $('#stop').hidden = false;
  $('#stop').onclick = once(() => call('Agent.cancel', { run_id: params.run_id }).catch(() => ended.abort()));
  $('#progress').textContent = said('ask_nodes', method === METHODS.graph ? 'ask_graph' : 'understand_query');
  setTimeout(() => watch(params.run_id, ended.signal), 300);
  const late = setTimeout(() => ($('#late').textContent = t('ask_late')), LATE_MS);
  let drawn;
  try {
    // Under its run_id the same question is asked once, however often the connection breaks or the daemon restarts.
    const answer = await callSurely(method, params, { signal: ended.signal, onWaiting: lost });
    drawn = answerCard(question, method === METHODS.graph ? fromGraph(answer) : answer);
  } catch (error) {
    if (error.type === 'unauthorized' || error.type === 'forbidden') return shut(t('login_gone'));
    drawn = answerCard(question, { error: { user_message: error.userMessage || t('ask_unreachable') } });
  }
  ended.abort();
  clearTimeout(late);
  $('#late').textContent = '';
  $('#answers').prepend(drawn);
  $('#progress').textContent = '';
  $('#stop').hidden = true;
  $('#go').disabled = false;
  drawn.focus();
});

/** An answer of the graph as one of the books: its rows are the table, its Cypher the only step, its doubts stand in its text. */
function fromGraph({ run_id, answer, columns, headings = columns, rows, cypher }) {
  return { run_id, final_narrative: answer, data_table_for_display: graphTable(headings, rows), plan: cypher && { purpose: 'Cypher', query: cypher } };
}

/** The page for who may use it, with what there is to ask: without a choice where it is one thing; with the desk where there are letters. */
async function open() {
  const asked = catalogue.questions.map((kind) => METHODS[kind]);
  for (const option of [...$('#source').options]) if (asked.length && !asked.includes(option.value)) option.remove();
  for (const node of [$('#source'), $('label[for=source]')]) node.hidden = asked.length === 1;
  $('nav a[href^="/desk"]').hidden = !catalogue.letters.length;
  if (catalogue.letters.length) document.title = t('ask_title');
  aboutSource();
  $('#work').hidden = false;
  $('#question').focus();
}

/** The words of the books or of the graph, whichever is asked; only the books are planned in a style. */
function aboutSource() {
  const graph = $('#source').value === METHODS.graph;
  $('label[for=question]').textContent = t(graph ? 'ask_graph_question' : 'ask_question');
  $('#question').placeholder = graph ? '' : t('ask_example');
  for (const node of [$('#style'), $('label[for=style]')]) node.hidden = graph;
}

function answerCard(question, answer) {
  const rows = Array.isArray(answer.data_table_for_display) ? answer.data_table_for_display : [];
  return h(
    'article',
    { class: 'card answer', tabindex: '-1' },
    h('h2', {}, question),
    answer.error && errorPart(answer.error, answer.clarification?.choices),
    answer.final_narrative && h('p', { class: 'narrative' }, answer.final_narrative),
    quality(answer),
    warnings(answer.warnings_for_display?.filter((text) => !answer.final_narrative?.includes(text))),
    summary(answer.executive_summary),
    rows.length > 0 && chart(rows, answer.table_units ?? {}),
    rows.length > 0 && dataTable(rows, answer.table_units ?? {}),
    rows.length > 0 && answer.run_id && downloads(answer.run_id),
    steps(answer),
  );
}

/** What went wrong; `choices` are questions to ask instead, one tap each. */
function errorPart(error, choices) {
  const askInstead = (text) => () => {
    $('#question').value = text;
    ask();
  };
  return h(
    'div',
    { class: 'card problem', role: 'alert' },
    h('p', {}, error.user_message ?? t('ask_unanswered')),
    choices?.length > 0 && h('div', { class: 'actions' }, choices.map((text) => h('button', { type: 'button', onclick: askInstead(text), 'data-act': 'choice' }, text))),
    !choices?.length && error.suggestions?.length > 0 && h('ul', {}, error.suggestions.map((text) => h('li', {}, text))),
  );
}

function quality({ quality_score: score, validation_status: status }) {
  if ((score ?? null) === null && !status) return null;
  return h(
    'dl',
    { class: 'figures' },
    (score ?? null) !== null && h('div', {}, h('dt', {}, t('ask_quality')), h('dd', {}, `${score} / 100`)),
    status && h('div', {}, h('dt', {}, t('ask_checked')), h('dd', {}, said('ask_checks', status) ?? status)),
  );
}

function warnings(list) {
  if (!list?.length) return null;
  return h('ul', { class: 'warnings', 'aria-label': t('ask_warnings') }, list.map((text) => h('li', {}, typeof text === 'string' ? text : JSON.stringify(text))));
}

function summary(figures) {
  if (!figures || typeof figures !== 'object') return null;
  const rows = Object.entries(figures);
  if (!rows.length) return null;
  return h(
    'dl',
    { class: 'figures' },
    rows.map(([name, value]) => h('div', {}, h('dt', {}, name.replaceAll('_', ' ')), h('dd', {}, value !== null && typeof value === 'object' ? JSON.stringify(value) : String(value ?? '')))),
  );
}

/** The table as a file, as `agentd books ask --out` writes it. */
function downloads(runId) {
  const save = (kind) => once(async () => {
    try {
      const url = URL.createObjectURL(await (await get(`/tables/${encodeURIComponent(runId)}.${kind}`)).blob());
      h('a', { href: url, download: `jawaban.${kind}` }).click();
      setTimeout(() => URL.revokeObjectURL(url), 10_000);
    } catch (error) {
      $('#progress').textContent = error.userMessage || t('ask_unsaved');
    }
  });
  return h('div', { class: 'actions' }, ['csv', 'xlsx'].map((kind) => h('button', { type: 'button', onclick: save(kind), 'data-act': kind }, t('ask_save', { kind: kind.toUpperCase() }))));
}

const PARTS = ['main_table', 'joins', 'select_columns', 'filters', 'group_by', 'having', 'order_by_clauses', 'limit'];

function steps({ plan, mcp_tool_call_history: calls }) {
  const planned = plan ? [plan].flat() : [];
  if (!planned.length && !calls?.length) return null;
  return h(
    'details',
    {},
    h('summary', {}, t(plan?.purpose === 'Cypher' ? 'ask_query' : 'ask_plan')),
    h('ol', { class: 'plan', 'aria-label': t('ask_step') }, planned.map(planStep)),
    calls?.length > 0 && h('h3', {}, t('ask_calls')),
    (calls ?? []).map((made) =>
      h('details', {}, h('summary', {}, `${made.server_name} · ${made.tool_name}: ${made.status}`), h('pre', {}, JSON.stringify({ request: made.request_payload, response: made.response_payload, error: made.error_message }, null, 2))),
    ),
  );
}

/** What a step finds, and how: its SQL, or the parts of its operation in words. */
function planStep(step) {
  const parts = PARTS.filter((name) => step[name] && [step[name]].flat().length > 0);
  return h(
    'li',
    {},
    h('strong', {}, step.purpose || step.result_key || t('ask_step')),
    step.query && h('pre', { tabindex: '0' }, step.query),
    !step.query && h('dl', {}, parts.map((name) => h('div', {}, h('dt', {}, said('ask_parts', name)), h('dd', {}, [step[name]].flat().map(inWords).join('; '))))),
  );
}

/** One column, condition, join or order of an operation: `SUM(total_amount)`, `order_date >= 2025-01-01`. */
function inWords(part) {
  if (part === null || typeof part !== 'object') return String(part);
  if (part.target_table) return part.target_table;
  if (part.conditions) return part.conditions.map(inWords).join(` ${t(part.logical_operator === 'OR' ? 'ask_or' : 'ask_and')} `);
  const name = part.field_or_expression ?? part.field_name;
  if (name === undefined) return JSON.stringify(part);
  const value = part.value === undefined ? '' : typeof part.value === 'string' ? part.value : JSON.stringify(part.value);
  return [part.aggregation ? `${part.aggregation}(${name})` : name, part.operator, value, part.direction].filter(Boolean).join(' ');
}

$('#ask').addEventListener('submit', (event) => {
  event.preventDefault();
  ask();
});
$('#source').addEventListener('change', aboutSource);
$('#question').addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    ask();
  }
});
speakAsAsked('ask_page');
aboutSource();
await login({ probe: async () => (catalogue = await staffOnly()), open });
document.documentElement.dataset.ready = 'true';
