import { createSseParser, type SseParser, type StreamEvent } from '@touchstone/sdk'
import { api } from './session.ts'

export type StreamState = 'connecting' | 'live' | 'reconnecting'

export type StreamListener = {
  onEvent(event: StreamEvent): void
  /** Events were missed, so cached data may be stale. */
  onReset(): void
  onState(state: StreamState): void
}

const WAIT_MS_MIN = 2_000
const WAIT_MS_MAX = 30_000

/**
 * Reads the organisation's event stream until the signal aborts. Reconnects after every
 * interruption, with exponential backoff, and resumes from the last event id. Uses fetch rather
 * than EventSource so that the token is sent in a header.
 */
export async function followStream(
  orgId: string,
  listener: StreamListener,
  signal: AbortSignal,
): Promise<void> {
  const parser = createSseParser()
  let failures = 0
  let wasLive = false
  while (!signal.aborted) {
    listener.onState('connecting')
    const received: boolean = await readConnection(orgId, {
      listener,
      parser,
      signal,
      wasLive,
    }).catch(() => false)
    if (signal.aborted) return
    failures = received ? 0 : failures + 1
    wasLive ||= received
    listener.onState('reconnecting')
    await wait(Math.min(WAIT_MS_MIN * 2 ** failures, WAIT_MS_MAX), signal)
  }
}

type Connection = {
  listener: StreamListener
  parser: SseParser
  signal: AbortSignal
  /** Whether an earlier connection received events. */
  wasLive: boolean
}

/** Reads one connection to its end. Resolves to true if it received any event. */
async function readConnection(orgId: string, connection: Connection): Promise<boolean> {
  const { listener, parser, signal, wasLive } = connection
  const lastEventId = parser.lastEventId()
  const answer = await api.raw('GET', '/v1/orgs/{org_id}/stream', {
    params: { org_id: orgId },
    headers: {
      accept: 'text/event-stream',
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    },
    signal,
  })
  if (!answer.ok || answer.body === null) return false
  parser.drop()
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
  let received = false
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return received
    for (const event of parser.push(value)) {
      if (!received) listener.onState('live')
      received = true
      // The stream started over instead of resuming, because no event id was known yet.
      if (event.type === 'open' && wasLive) listener.onReset()
      dispatch(event, listener)
    }
  }
}

function dispatch(event: StreamEvent, listener: StreamListener): void {
  if (event.type === 'reset') listener.onReset()
  else if (!SERVICE_EVENTS.has(event.type)) listener.onEvent(event)
}

/** Control events of the stream itself. */
const SERVICE_EVENTS: ReadonlySet<string> = new Set(['open', 'resumed', 'end', 'message'])

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
