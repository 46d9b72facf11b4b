// How the services of an office and an officer's own runs stand, as the officer's page lists them. It asks nothing.

import { h } from './dom.js';
import { said, t, time } from './words.js';

export function healthList(health) {
  const row = (name, state, reason) =>
    h('div', {}, h('dt', {}, name), h('dd', { class: `state ${state}` }, said('desk_states', state) ?? state, reason && h('span', { class: 'hint' }, ` ${reason}`)));
  return h(
    'dl',
    { class: 'fields' },
    row(t('desk_service'), health.status),
    health.database === 'down' && row(t('desk_storage'), 'down', t('desk_unwritable')),
    row(t('desk_active'), '', String(health.runs?.active ?? 0)),
    health.parked.map((run) => row(t('desk_parked'), 'failed', t('desk_parked_why', { time: time(run.created_at), run: run.run_id }))),
    health.servers.map((server) => row(`Server ${server.name}`, server.state, server.error)),
    health.providers.map((provider) => row(`Model ${provider.id}`, provider.state, provider.error)),
  );
}

export function runTable(runs) {
  if (!runs.length) return h('p', { class: 'note' }, t('desk_no_runs'));
  const line = (run) => h('li', {}, `${time(run.created_at)} `, h('span', { class: `state ${run.status}` }, said('desk_run_states', run.status) ?? run.status));
  return h('ul', {}, runs.map(line));
}
