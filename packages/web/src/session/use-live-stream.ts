import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import type { StreamEvent } from './sse-parser.ts'
import { followStream, type StreamState } from './stream.ts'

export type LiveEvent = StreamEvent & { key: string; at: string }

type Live = { orgId: string; state: StreamState; events: readonly LiveEvent[] }

/** So many are kept to be shown. */
const EVENTS_MAX = 60

/** A burst is one invalidator of what it touches, not one each. */
const BATCH_MS = 300

const NO_EVENTS: Live = { orgId: '', state: 'connecting', events: [] }

let live: Live = NO_EVENTS
let count = 0
const listeners = new Set<() => void>()

function setLive(next: Live): void {
  live = next
  for (const changed of listeners) changed()
}

function subscribe(changed: () => void): () => void {
  listeners.add(changed)
  return () => listeners.delete(changed)
}

/** What happened in the organisation since this page was opened, newest first. */
export function useLiveStream(): Live {
  return useSyncExternalStore(subscribe, () => live)
}

/** Follows an organisation for as long as its console is shown, and reloads what changed. */
export function useStreamSubscription(orgId: string): void {
  const queries = useQueryClient()
  useEffect(() => {
    const controller = new AbortController()
    const invalidator = createInvalidator(queries)
    setLive({ ...NO_EVENTS, orgId })
    void followStream(
      orgId,
      {
        onState: (state) => setLive({ ...live, state }),
        onReset: () => void queries.invalidateQueries(),
        onEvent(event) {
          if (event.id !== undefined && live.events.some(({ id }) => id === event.id)) return
          count += 1
          const at = typeof event.data['time'] === 'string' ? event.data['time'] : ''
          const events = [{ ...event, key: String(count), at }, ...live.events].slice(0, EVENTS_MAX)
          setLive({ ...live, events })
          invalidator.enqueue(affectedIds(orgId, event))
        },
      },
      controller.signal,
    )
    return () => {
      controller.abort()
      invalidator.stop()
    }
  }, [orgId, queries])
}

/** These come by the thousand and change no list of the organisation. */
const FREQUENT: ReadonlySet<string> = new Set([
  'integrity.checkpoint',
  'trace.created',
  'trace.verified',
])

function affectedIds(orgId: string, { type, data }: StreamEvent): string[] {
  const ids = [data['agent_id'], data['team_id']].filter((id) => typeof id === 'string')
  const isFrequent =
    FREQUENT.has(type) || (type === 'gateway.decision' && data['escalation_id'] === null)
  return isFrequent ? ids : [orgId, ...ids]
}

/**
 * Every question about an agent, a team or the organisation names it in its key; what bears none of
 * the ids stays as it is.
 */
function createInvalidator(queries: QueryClient) {
  const pending = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const flush = () => {
    timer = undefined
    const ids = new Set(pending)
    pending.clear()
    void queries.invalidateQueries({
      predicate: ({ queryKey }) => queryKey.some((part) => ids.has(String(part))),
    })
  }
  return {
    enqueue(ids: readonly string[]): void {
      for (const id of ids) pending.add(id)
      timer ??= setTimeout(flush, BATCH_MS)
    },
    stop: () => clearTimeout(timer),
  }
}
