import type { Clock } from '../../../kernel/clock.ts'
import type { Notices } from '../../../kernel/notices.ts'
import type { Escalation } from './escalation.ts'

/** The notice between nodes that somebody answered an escalation. */
const TOPIC = 'escalation'

/** Requests that wait at the same time in one process. */
const WAITERS_MAX = 100

export type WaiterDeps = {
  clock: Clock
  notices: Notices
  find(escalationId: string): Promise<Escalation | undefined>
}

/** Requests that wait until somebody answers an escalation. */
export function createWaiters({ clock, notices, find }: WaiterDeps) {
  const waiting = new Map<string, Set<() => void>>()
  let count = 0
  let isReleased = false
  const wake = (escalationId: string): void => {
    for (const waiter of waiting.get(escalationId) ?? []) waiter()
  }
  const wakeAll = (): void => {
    for (const escalationId of waiting.keys()) wake(escalationId)
  }
  notices.on(TOPIC, wake)
  notices.onReset(wakeAll)

  const enter = (escalationId: string, waiter: () => void): (() => void) => {
    const others = waiting.get(escalationId) ?? new Set()
    waiting.set(escalationId, others.add(waiter))
    count += 1
    return () => {
      others.delete(waiter)
      count -= 1
      if (others.size === 0) waiting.delete(escalationId)
    }
  }

  return {
    topic: TOPIC,

    /**
     * Resolves with the escalation once it differs from the given one, at once if it has ended, or
     * after `waitMs`. More requests than can wait get the present state.
     */
    async awaitChange(
      before: Escalation,
      { waitMs, signal }: { waitMs: number; signal: AbortSignal },
    ): Promise<Escalation | undefined> {
      if (before.status !== 'pending' || count >= WAITERS_MAX || isReleased) return before
      const deadline = performance.now() + waitMs
      let changed = createSignal()
      const leave = enter(before.escalationId, () => changed.set())
      const abort = () => changed.set()
      signal.addEventListener('abort', abort)
      try {
        for (;;) {
          const found = await find(before.escalationId)
          const leftMs = deadline - performance.now()
          const isOver = leftMs <= 0 || isReleased || signal.aborted
          if (found === undefined || isOver || differs(found, before)) return found
          // An escalation expires without a notice.
          const expiresInMs = before.expiresAt.getTime() - clock.nowMs()
          await changed.within(Math.min(leftMs, expiresInMs))
          changed = createSignal()
        }
      } finally {
        signal.removeEventListener('abort', abort)
        leave()
      }
    },

    /** Answers every waiting request, before the server closes. */
    releaseAll(): void {
      isReleased = true
      wakeAll()
    },
  }
}

function differs(found: Escalation, before: Escalation): boolean {
  return found.status !== before.status || found.approvals.length !== before.approvals.length
}

/** Remembers that it was set, also before somebody waits for it. */
function createSignal() {
  let isSet = false
  let resolve: (() => void) | undefined
  return {
    set(): void {
      isSet = true
      resolve?.()
    },
    async within(ms: number): Promise<void> {
      if (isSet) return
      await new Promise<void>((done) => {
        const timer = setTimeout(done, ms)
        resolve = () => {
          clearTimeout(timer)
          done()
        }
      })
    },
  }
}
