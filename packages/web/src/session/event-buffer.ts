import type { StreamEvent } from '@touchstone/sdk'

export type LiveEvent = StreamEvent & { key: string; at: string }

/** The number of recent events kept for display. */
const EVENTS_MAX = 60

/** Nobody reads faster, and rendering every one of 200 events a second would keep a core busy. */
const SHOW_MS = 250

/**
 * Collects events, newest first, and shows them at most four times a second. The first event after a
 * pause is shown immediately.
 */
export function createEventBuffer(show: (events: readonly LiveEvent[]) => void) {
  let events: readonly LiveEvent[] = []
  let count = 0
  let hasNew = false
  let isStopped = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const showNew = () => {
    timer = hasNew ? setTimeout(showNew, SHOW_MS) : undefined
    if (!hasNew || isStopped) return
    hasNew = false
    show(events)
  }
  return {
    /** Returns false for an event that was received before. */
    add(event: StreamEvent): boolean {
      if (event.id !== undefined && events.some(({ id }) => id === event.id)) return false
      count += 1
      const at = typeof event.data['time'] === 'string' ? event.data['time'] : ''
      events = [{ ...event, key: String(count), at }, ...events].slice(0, EVENTS_MAX)
      hasNew = true
      if (timer === undefined) showNew()
      return true
    },
    stop(): void {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
