// How the services of an office and an officer's own runs stand, as the officer's page lists them. It asks nothing.

import { h } from './dom.js';
import { time } from './words.js';

const STATES = { failed: 'gagal', up: 'siap', starting: 'dimulai', down: 'mati', ready: 'siap', no_key: 'tanpa kunci', cooling: 'istirahat', unknown: 'belum dicoba', ok: 'baik', degraded: 'terganggu', draining: 'berhenti' };

export function healthList(health) {
  const row = (name, state, reason) =>
    h('div', {}, h('dt', {}, name), h('dd', { class: `state ${state}` }, STATES[state] ?? state, reason && h('span', { class: 'hint' }, ` ${reason}`)));
  return h(
    'dl',
    { class: 'fields' },
    row('Layanan', health.status),
    health.database === 'down' && row('Penyimpanan', 'down', 'tidak dapat ditulis'),
    row('Sedang dikerjakan', '', String(health.runs?.active ?? 0)),
    health.parked.map((run) => row('Permintaan dihentikan', 'failed', `${time(run.created_at)} ${run.run_id}: sistem dua kali mati saat mengerjakannya`)),
    health.servers.map((server) => row(`Server ${server.name}`, server.state, server.error)),
    health.providers.map((provider) => row(`Model ${provider.id}`, provider.state, provider.error)),
  );
}

const RUNS = { queued: 'antre', running: 'dikerjakan', needs_approval: 'menunggu persetujuan', completed: 'selesai', cancelled: 'dibatalkan', failed: 'gagal' };

export function runTable(runs) {
  if (!runs.length) return h('p', { class: 'note' }, 'Belum ada permintaan dari kode petugas ini.');
  const line = (run) => h('li', {}, `${time(run.created_at)} `, h('span', { class: `state ${run.status}` }, RUNS[run.status] ?? run.status));
  return h('ul', {}, runs.map(line));
}
