// One turn of the conversation as data: events go in, what is to be shown comes out. Pure: no DOM, no network.

/**
 * A turn: {runId, prompt, status, lastSeq, parts, live, gap, model, forStaff}.
 * status: sending | queued | running | needs_approval | completed | cancelled | failed
 * parts, in order: {kind: 'tool', tool, state: 'doing'|'done'|'failed', output, input, labels}
 *                  {kind: 'approval', approval, decided: null|true|false} {kind: 'said', text}
 *                  {kind: 'letter', letter, artifact} {kind: 'answer', text} {kind: 'problem', text, type}
 */
export function newTurn(runId, prompt, status = 'sending') {
  return { runId, prompt, status, lastSeq: 0, parts: [], live: '', gap: false, model: null, forStaff: false };
}

export const BUSY = new Set(['sending', 'queued', 'running']);
export const isBusy = (turn) => BUSY.has(turn.status);

/** Applies one event to the turn, in place. An event that was applied before changes nothing. True when it changed. */
export function apply(turn, event) {
  const live = event.type === 'model.delta' || event.type === 'tool.progress';
  if (!live) {
    if (event.seq <= turn.lastSeq) return false;
    turn.lastSeq = event.seq;
  }
  const act = HANDLERS[event.type];
  if (!act) return false;
  act(turn, event.data);
  return true;
}

const HANDLERS = {
  'run.started': (turn) => {
    turn.status = 'running';
  },
  'model.started': (turn) => {
    turn.status = 'running';
    turn.live = '';
    turn.gap = false;
  },
  'model.delta': (turn, data) => {
    if (data.restart) {
      turn.live = '';
      turn.gap = false;
    } else if (!turn.gap) turn.live += data.text;
  },
  'model.finished': (turn, data) => {
    turn.model = { provider: data.provider, model: data.model, fallbacks: turn.model?.fallbacks ?? [] };
  },
  'model.fallback': (turn, data) => {
    turn.model = { ...turn.model, fallbacks: [...(turn.model?.fallbacks ?? []), data] };
  },
  'tool.started': (turn, data) => begin(turn, data.tool),
  'tool.progress': (turn, data) => begin(turn, data.tool),
  'tool.finished': (turn, data) => {
    begin(turn, data.tool);
    const part = doing(turn, data.tool);
    part.state = data.success ? 'done' : 'failed';
    Object.assign(part, { input: data.input, output: data.output, message: data.message });
    if (data.success && data.output?.number && data.output?.verify_url) {
      const artifact = data.artifacts?.find((file) => file.media_type === 'application/pdf') ?? null;
      turn.parts.push({ kind: 'letter', letter: data.output, artifact });
    }
  },
  'approval.requested': (turn, data) => {
    turn.status = 'needs_approval';
    turn.live = '';
    if (data.rule === 'staff') {
      // The visitor has said yes already: the same card goes on as a request that an officer decides.
      turn.forStaff = true;
      for (const part of turn.parts) if (part.kind === 'approval' && part.decided === null) part.decided = true;
    }
    turn.parts.push({ kind: 'approval', approval: data, decided: null });
  },
  'approval.decided': (turn, data) => {
    turn.status = 'running';
    for (const part of turn.parts) {
      if (part.kind === 'approval' && part.approval.approval_id === data.approval_id) part.decided = data.approved;
    }
  },
  'run.finished': (turn, data) => {
    turn.status = data.status;
    turn.live = '';
    for (const part of turn.parts) {
      if (part.kind === 'tool' && part.state === 'doing') part.state = 'failed';
      if (part.kind === 'approval' && part.decided === null) part.decided = false;
    }
    if (data.response) turn.parts.push({ kind: 'answer', text: data.response });
    if (data.error) turn.parts.push({ kind: 'problem', type: data.error.type, text: data.error.data?.user_message ?? '' });
  },
};

function begin(turn, tool) {
  turn.live = '';
  if (!doing(turn, tool)) turn.parts.push({ kind: 'tool', tool, state: 'doing' });
}

function doing(turn, tool) {
  return turn.parts.findLast((part) => part.kind === 'tool' && part.tool === tool && part.state === 'doing');
}

/** The approval that waits for a yes, if any. */
export function waiting(turn) {
  if (turn.status !== 'needs_approval') return null;
  return turn.parts.findLast((part) => part.kind === 'approval' && part.decided === null)?.approval ?? null;
}

/**
 * What the conversation knows of a letter's fields: {tool, known: {field: value}, missing: [field]} or null.
 * The newest call or approval of a `generate_…` tool counts; a value the daemon found no evidence for is missing.
 */
export function formState(turns) {
  for (const turn of [...turns].reverse()) {
    for (const part of [...turn.parts].reverse()) {
      if (part.kind === 'approval') return { tool: part.approval.tool, known: part.approval.arguments, missing: [] };
      const missing = part.kind === 'tool' ? missingOf(part) : null;
      if (missing) {
        const known = Object.fromEntries(Object.entries(part.input ?? {}).filter(([field]) => !missing.includes(field)));
        return { tool: part.tool, known, missing };
      }
    }
  }
  return null;
}

function missingOf(part) {
  if (part.state !== 'failed') return null;
  if (Array.isArray(part.output?.missing)) return part.output.missing;
  if (Array.isArray(part.output?.fields)) return part.output.fields.map((problem) => problem.field);
  return null;
}
