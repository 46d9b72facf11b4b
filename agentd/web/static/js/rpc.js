// JSON-RPC 2.0 to the daemon that served this page. It keeps no state.

import { headers } from './access.js';

/** The daemon answered with an error: `type` is stable, `userMessage` is for the person in front of the screen. */
export class RpcError extends Error {
  constructor(error) {
    super(error.message);
    this.code = error.code;
    this.type = error.data?.type ?? 'internal';
    this.userMessage = error.data?.user_message ?? '';
    this.data = error.data ?? {};
  }
}

/** The daemon could not be reached; the same call may be made again. */
export class Unreachable extends Error {}

let number = 0;

/** Calls one method. Throws RpcError, Unreachable, or what `signal` was aborted with. */
export async function call(method, params = {}, { signal, keepalive, key } = {}) {
  const response = await ask('/rpc', { jsonrpc: '2.0', id: ++number, method, params }, { signal, keepalive, key });
  let answer;
  try {
    answer = await response.json();
  } catch {
    throw new Unreachable(`${response.status} without JSON`);
  }
  if (answer.error) throw new RpcError(answer.error);
  return answer.result;
}

/** True for what another try may bring: the daemon could not be reached, stops, or has too much to do. */
export const isPassing = (error) => error instanceof Unreachable || ['draining', 'busy', 'rate_limited'].includes(error.type);

/** Calls until the daemon is reached. `method` must be safe to repeat (a run has its run_id). */
export async function callSurely(method, params, { signal, key, onWaiting = () => {} } = {}) {
  for (let attempt = 0; ; attempt++) {
    try {
      return await call(method, params, { signal, key });
    } catch (error) {
      if (!isPassing(error)) throw error;
      onWaiting(error);
      await pause((error.data?.retry_after_s ?? 0) * 1000 || Math.min(500 * 2 ** attempt, 5000), signal);
    }
  }
}

/** POSTs JSON. Throws Unreachable. */
export async function ask(path, body, { signal, keepalive, key } = {}) {
  try {
    return await fetch(path, {
      method: 'POST',
      headers: headers({ 'Content-Type': 'application/json' }, key),
      body: JSON.stringify(body),
      cache: 'no-store',
      signal,
      keepalive,
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Unreachable(error.message);
  }
}

/** Any resource of the daemon. Throws RpcError. */
export async function get(path, options = {}) {
  const response = await fetch(path, { ...options, headers: headers(options.headers), cache: 'no-store' });
  if (response.ok) return response;
  const refused = await response.json().catch(() => ({}));
  throw new RpcError(refused.error ?? { code: -32603, message: `${response.status}` });
}

export function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    const ended = () => (clearTimeout(timer), reject(signal.reason));
    const timer = setTimeout(() => (signal?.removeEventListener('abort', ended), resolve()), ms);
    signal?.addEventListener('abort', ended, { once: true });
  });
}
