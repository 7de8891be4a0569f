import {
  GATHER_MS_MAX,
  type GatherEvent,
  type GatheredCall,
  type Gathering,
  gather,
} from './gathering.ts'

export type Timers = {
  nowMs(): number
  /** Runs it once, later; returns a function that cancels it. */
  after(ms: number, run: () => void): () => void
  /** Runs it before the process ends by itself; returns a function that cancels it. */
  beforeExit(run: () => void): () => void
}

export type GathererOptions = {
  timers: Timers
  newCheckpointId(): string
  /** How many sessions may hold back calls; beyond it the oldest one's checkpoint is completed. */
  sessionsMax: number
  /** Called for checkpoints that the time, another session or the end has completed. */
  onComplete(gathering: Gathering): void
}

/** The checkpoint that a call belongs to, and those that it completed, which may include its own. */
export type Added = { checkpointId: string; complete: readonly Gathering[] }

export type Gatherer = {
  add(call: GatheredCall, sessionId: string): Added
  /** Completes the checkpoints of all sessions. */
  endSessions(): void
  /** How many sessions hold back calls. */
  size(): number
}

type Held = { gathering: Gathering; stop(): void }

/** Holds back the calls of each session until they make up a checkpoint. */
export function createGatherer(options: GathererOptions): Gatherer {
  const { timers, newCheckpointId, sessionsMax, onComplete } = options
  /** In the order in which the sessions began to hold back calls. */
  const held = new Map<string, Held>()
  let ignoreExit: (() => void) | undefined

  function step(sessionId: string, event: GatherEvent): readonly Gathering[] {
    const before = held.get(sessionId)
    const { open, complete } = gather(before?.gathering, event)
    if (before !== undefined && open?.checkpointId === before.gathering.checkpointId) {
      held.set(sessionId, { ...before, gathering: open })
      return complete
    }
    before?.stop()
    held.delete(sessionId)
    if (open !== undefined) hold(open)
    else if (held.size === 0) stopWatchingExit()
    return complete
  }

  function hold(gathering: Gathering): void {
    const { sessionId } = gathering
    const stop = timers.after(GATHER_MS_MAX, () =>
      finish(sessionId, { type: 'time', nowMs: timers.nowMs() }),
    )
    held.set(sessionId, { gathering, stop })
    ignoreExit ??= timers.beforeExit(endSessions)
    const [oldest] = held.keys()
    if (held.size > sessionsMax && oldest !== undefined) finish(oldest, { type: 'session_end' })
  }

  function finish(sessionId: string, event: GatherEvent): void {
    for (const gathering of step(sessionId, event)) onComplete(gathering)
  }

  function endSessions(): void {
    for (const sessionId of [...held.keys()]) finish(sessionId, { type: 'session_end' })
  }

  function stopWatchingExit(): void {
    ignoreExit?.()
    ignoreExit = undefined
  }

  return {
    add(call, sessionId) {
      const newId = newCheckpointId()
      const nowMs = timers.nowMs()
      const complete = step(sessionId, {
        type: 'call',
        call,
        sessionId,
        newCheckpointId: newId,
        nowMs,
      })
      const joined = held.get(sessionId)?.gathering ?? complete.at(-1)
      return { checkpointId: joined?.checkpointId ?? newId, complete }
    },
    endSessions,
    size: () => held.size,
  }
}
