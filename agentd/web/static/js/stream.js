// Follows one run's events by Server-Sent Events over fetch (so that a token can travel in a header). A stream that
// breaks is taken up after the last stored event; what an event means is not known here.

import { headers } from './access.js';
import { RpcError, isPassing, pause } from './rpc.js';

const SILENCE_MS = 40_000; // the daemon sends a comment every 15 s

/**
 * Calls onEvent for each event after `after` until the run ends or waits for an approval.
 * isOver() tells whether nothing follows for now, asked when a stream ended without news; onGap() is called when
 * live-only events may have been missed, onOpen() when the stream is there again. Throws RpcError, or the signal's reason.
 */
export async function follow(runId, after, { onEvent, isOver, onGap = () => {}, onWaiting = () => {}, onOpen = () => {}, signal }) {
  let last = after;
  for (let attempt = 0; ; attempt++) {
    const before = last;
    try {
      const response = await open(runId, last, signal);
      if (!response.ok) throw await refusal(response);
      onOpen();
      if (response.status === 204) return;
      for await (const frame of frames(response.body, signal)) {
        attempt = 0;
        const event = JSON.parse(frame.data);
        if (frame.type === 'error') throw new RpcError(event);
        if (frame.id !== undefined) {
          if (event.seq <= last) continue;
          last = event.seq;
        }
        onEvent(event);
        if (event.type === 'run.finished' || event.type === 'approval.requested') return;
      }
      if (last === before && (await isOver())) return;
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (error instanceof RpcError && !isPassing(error)) throw error;
    }
    onGap();
    onWaiting();
    await pause(Math.min(200 * 2 ** attempt, 4000), signal);
  }
}

function open(runId, after, signal) {
  const query = new URLSearchParams({ run_id: runId, after });
  return fetch(`/events?${query}`, { headers: headers({ Accept: 'text/event-stream' }), cache: 'no-store', signal });
}

async function refusal(response) {
  const body = await response.json().catch(() => null);
  return body?.error ? new RpcError(body.error) : new Error(`events: ${response.status}`);
}

/** Parses the stream: {id?, type, data} for each frame; comments keep it alive. A silent stream is given up. */
async function* frames(body, signal) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = '';
  try {
    for (;;) {
      const timer = new AbortController();
      const silent = pause(SILENCE_MS, timer.signal).then(() => Promise.reject(new Error('the stream is silent')));
      silent.catch(() => {});
      const { value, done } = await Promise.race([reader.read(), silent]).finally(() => timer.abort());
      if (done || signal?.aborted) return;
      buffer += value;
      let end;
      while ((end = buffer.indexOf('\n\n')) >= 0) {
        const frame = parsed(buffer.slice(0, end));
        buffer = buffer.slice(end + 2);
        if (frame) yield frame;
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

function parsed(text) {
  const frame = { id: undefined, type: 'message', data: '' };
  for (const line of text.split('\n')) {
    if (line.startsWith('id: ')) frame.id = line.slice(4);
    else if (line.startsWith('event: ')) frame.type = line.slice(7);
    else if (line.startsWith('data: ')) frame.data += line.slice(6);
  }
  return frame.data ? frame : null;
}
