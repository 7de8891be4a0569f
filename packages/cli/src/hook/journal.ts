import { createHash, randomUUID } from 'node:crypto'
import {
  appendFileSync,
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import type { HookCall, HookOutcome } from '@touchstone/sdk/hooks'
import type { TranscriptPosition } from '@touchstone/sdk/hooks/read-transcript'
import type { NotedCall } from '@touchstone/sdk/hooks/session-evidence'
import type { Decided } from './decide.ts'

/**
 * The notes that the hooks of one session share: they are processes of their own, which may run at the
 * same time, so every note is one appended line (ADR 0050).
 */
type Note =
  | { note: 'call'; call: NotedCall; call_id: string | null; hash: string }
  | { note: 'outcome'; outcome: ReportedOutcome }
  | { note: 'reported'; decision_ids: string[] }
  | { note: 'thinking'; text: string }
  | { note: 'sent'; trace_ids: string[]; thoughts: number; read: TranscriptPosition | undefined }

export type ReportedOutcome = {
  decision_id: string
  status: HookOutcome['status']
  duration_ms?: number
  error?: string
  result_hash?: string
}

export type SessionState = {
  /** Calls that no checkpoint contains yet. */
  calls: readonly NotedCall[]
  /** Outcomes that the service does not have yet. */
  unreported: readonly ReportedOutcome[]
  thinking: readonly string[]
  thoughts: number
  position: TranscriptPosition | undefined
}

export type Journal = ReturnType<typeof openJournal>

/** Older notes of a very long session are not read again. */
const READ_BYTES_MAX = 2 * 1024 * 1024
const KEPT_MS = 7 * 24 * 3_600_000
const STRING_LENGTH_MAX = 200
const THINKING_LENGTH_MAX = 10_000

/** Opens the notes of a session; the file is created with the first note. `owner` is its agent or key. */
export function openJournal(folder: string, client: string, owner: string, session: string) {
  const id = sha256(`${client} ${owner} ${session}`).slice(0, 40)
  const file = join(folder, `${id}.jsonl`)
  const append = (note: Note) => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    appendFileSync(file, `${JSON.stringify(note)}\n`, { mode: 0o600 })
  }
  return {
    noteCall(call: HookCall, decided: Decided, nowMs: number): void {
      if (decided.decision_id === null) return
      const noted: NotedCall = {
        trace_id: `tr-${randomUUID()}`,
        tool: call.tool,
        arguments: shortened(call.arguments),
        decision: decided.decision,
        decision_id: decided.decision_id,
        escalation_id: decided.escalation_id,
        reasons: decided.findings,
        outcome: undefined,
        at: nowMs,
      }
      append({ note: 'call', call: noted, call_id: call.call_id ?? null, hash: hashOf(call) })
    },

    /** Notes the outcome of a call and returns it; undefined if no decision about it is known. */
    noteOutcome(call: HookCall, outcome: HookOutcome): ReportedOutcome | undefined {
      const decisionId = decisionOf(readNotes(file), call)
      if (decisionId === undefined) return undefined
      const { status, duration_ms: durationMs, error, result } = outcome
      const reported: ReportedOutcome = {
        decision_id: decisionId,
        status,
        ...(durationMs !== undefined && { duration_ms: durationMs }),
        ...(error !== undefined && { error }),
        ...(result !== undefined && { result_hash: sha256(JSON.stringify(result)) }),
      }
      append({ note: 'outcome', outcome: reported })
      return reported
    },

    noteReported: (decisionIds: readonly string[]): void =>
      append({ note: 'reported', decision_ids: [...decisionIds] }),

    noteThinking: (text: string): void =>
      append({ note: 'thinking', text: text.slice(0, THINKING_LENGTH_MAX) }),

    noteSent: (
      traceIds: readonly string[],
      thoughts: number,
      read: TranscriptPosition | undefined,
    ): void => append({ note: 'sent', trace_ids: [...traceIds], thoughts, read }),

    state: (): SessionState => stateOf(readNotes(file)),

    /** Ends the session, and removes what sessions that never ended have left. */
    remove(nowMs: number): void {
      rmSync(file, { force: true })
      for (const name of readdirSync(folder, 'utf8')) {
        const path = join(folder, name)
        const stats = statSync(path, { throwIfNoEntry: false })
        if (stats !== undefined && nowMs - stats.mtimeMs > KEPT_MS) rmSync(path, { force: true })
      }
    },
  }
}

/** The decision that an outcome is about: by the client's id, else the newest that has none. */
function decisionOf(notes: readonly Note[], call: HookCall): string | undefined {
  const settled = new Set(
    notes.flatMap((note) => (note.note === 'outcome' ? [note.outcome.decision_id] : [])),
  )
  const hash = hashOf(call)
  const found = notes.findLast(
    (note) =>
      note.note === 'call' &&
      !settled.has(note.call.decision_id) &&
      (call.call_id === undefined ? note.hash === hash : note.call_id === call.call_id),
  )
  return found?.note === 'call' ? found.call.decision_id : undefined
}

function stateOf(notes: readonly Note[]): SessionState {
  const outcomes = new Map(
    notes.flatMap((note) =>
      note.note === 'outcome' ? [[note.outcome.decision_id, note.outcome] as const] : [],
    ),
  )
  const reported = new Set(
    notes.flatMap((note) => (note.note === 'reported' ? note.decision_ids : [])),
  )
  const sent = new Set(notes.flatMap((note) => (note.note === 'sent' ? note.trace_ids : [])))
  const thoughts = notes.flatMap((note) => (note.note === 'thinking' ? [note.text] : []))
  const last = notes.findLast((note) => note.note === 'sent')
  const sentThoughts = last?.note === 'sent' ? last.thoughts : 0
  const read = notes.findLast((note) => note.note === 'sent' && note.read !== undefined)
  return {
    calls: notes.flatMap((note) =>
      note.note === 'call' && !sent.has(note.call.trace_id)
        ? [{ ...note.call, outcome: outcomes.get(note.call.decision_id)?.status }]
        : [],
    ),
    unreported: [...outcomes.values()].filter(({ decision_id: id }) => !reported.has(id)),
    thinking: thoughts.slice(sentThoughts),
    thoughts: thoughts.length,
    position: read?.note === 'sent' ? read.read : undefined,
  }
}

function readNotes(file: string): Note[] {
  const lines = readTail(file).split('\n')
  return lines.flatMap((line) => {
    try {
      // The cast is safe, because only hooks write the file.
      return line === '' ? [] : [JSON.parse(line) as Note]
    } catch {
      // The first line, if the file is longer than what is read of it.
      return []
    }
  })
}

function readTail(file: string): string {
  let descriptor: number
  try {
    descriptor = openSync(file, 'r')
  } catch {
    return ''
  }
  try {
    const { size } = fstatSync(descriptor)
    const bytes = Buffer.alloc(Math.min(size, READ_BYTES_MAX))
    const read = readSync(descriptor, bytes, 0, bytes.length, size - bytes.length)
    return bytes.toString('utf8', 0, read)
  } finally {
    closeSync(descriptor)
  }
}

function hashOf({ tool, arguments: args }: HookCall): string {
  return sha256(JSON.stringify([tool, args ?? null], sortMembers))
}

/** Sorts the members of objects, because a client may send the same arguments in another order. */
function sortMembers(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Long texts are cut: a checkpoint would cut them, too (spec: provenance §2). */
function shortened(args: HookCall['arguments']): HookCall['arguments'] {
  if (args === undefined) return undefined
  const cut = (_name: string, value: unknown) =>
    typeof value === 'string' ? value.slice(0, STRING_LENGTH_MAX) : value
  return JSON.parse(JSON.stringify(args, cut))
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
