import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import type { StreamEvent } from '@touchstone/sdk'
import { useEffect, useSyncExternalStore } from 'react'
import { createEventBuffer, type LiveEvent } from './event-buffer.ts'
import { followStream, type StreamState } from './stream.ts'

type Live = { orgId: string; state: StreamState; events: readonly LiveEvent[] }

/** Batches a burst of events into one invalidation. */
const BATCH_MS = 300

/** The shortest time between two invalidations, so that a busy agent does not make its page load without end. */
const INVALIDATION_MS = 2_000

const NO_EVENTS: Live = { orgId: '', state: 'connecting', events: [] }

let live: Live = NO_EVENTS
const listeners = new Set<() => void>()

function setLive(next: Live): void {
  live = next
  for (const changed of listeners) changed()
}

function subscribe(changed: () => void): () => void {
  listeners.add(changed)
  return () => listeners.delete(changed)
}

/** The state of the live stream and the events since the page was opened, newest first. */
export function useLiveStream(): Live {
  return useSyncExternalStore(subscribe, () => live)
}

/** Subscribes to the organisation's stream while mounted and invalidates the queries it affects. */
export function useStreamSubscription(orgId: string | undefined): void {
  const queries = useQueryClient()
  useEffect(() => {
    if (orgId === undefined) return
    const controller = new AbortController()
    const invalidator = createInvalidator(queries)
    setLive({ ...NO_EVENTS, orgId })
    const buffer = createEventBuffer((events) => setLive({ ...live, events }))
    void followStream(
      orgId,
      {
        onState: (state) => setLive({ ...live, state }),
        onReset: () => void queries.invalidateQueries(),
        onEvent(event) {
          if (buffer.add(event)) invalidator.enqueue(affectedIds(orgId, event))
        },
      },
      controller.signal,
    )
    return () => {
      controller.abort()
      buffer.stop()
      invalidator.stop()
      // Events that were seen are not news to the next page that subscribes.
      setLive(NO_EVENTS)
    }
  }, [orgId, queries])
}

/** High-volume events that change none of the organisation's lists. */
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
 * Invalidates in batches every query whose key contains an affected agent, team or organisation id.
 * Queries with none of these ids in their key stay cached.
 */
function createInvalidator(queries: QueryClient) {
  const pending = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let flushedAt = Number.NEGATIVE_INFINITY
  const flush = () => {
    timer = undefined
    flushedAt = performance.now()
    const ids = new Set(pending)
    pending.clear()
    void queries.invalidateQueries({
      predicate: ({ queryKey }) => queryKey.some((part) => ids.has(String(part))),
    })
  }
  return {
    enqueue(ids: readonly string[]): void {
      for (const id of ids) pending.add(id)
      timer ??= setTimeout(
        flush,
        Math.max(BATCH_MS, flushedAt + INVALIDATION_MS - performance.now()),
      )
    },
    stop: () => clearTimeout(timer),
  }
}
