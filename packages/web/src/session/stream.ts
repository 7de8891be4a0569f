import { createFrameParser, type FrameParser, type StreamEvent } from './frames.ts'
import { api } from './session.ts'

export type StreamState = 'connecting' | 'live' | 'away'

export type StreamListener = {
  onEvent(event: StreamEvent): void
  /** What was shown may be old: something was missed. */
  onReset(): void
  onState(state: StreamState): void
}

const WAIT_MS_MIN = 2_000
const WAIT_MS_MAX = 30_000

/**
 * Reads the organisation's stream until the signal ends it, coming back after every interruption
 * with the last id it heard. Fetched rather than opened as an EventSource, so that the token travels
 * in a header.
 */
export async function followStream(
  orgId: string,
  listener: StreamListener,
  signal: AbortSignal,
): Promise<void> {
  const parser = createFrameParser()
  let failures = 0
  let wasLive = false
  while (!signal.aborted) {
    listener.onState('connecting')
    const heard: boolean = await readOnce(orgId, { listener, parser, signal, wasLive }).catch(
      () => false,
    )
    if (signal.aborted) return
    failures = heard ? 0 : failures + 1
    wasLive ||= heard
    listener.onState('away')
    await pause(Math.min(WAIT_MS_MIN * 2 ** failures, WAIT_MS_MAX), signal)
  }
}

type Reading = {
  listener: StreamListener
  parser: FrameParser
  signal: AbortSignal
  /** Whether there was a connection before this one. */
  wasLive: boolean
}

/** True when anything was heard. */
async function readOnce(orgId: string, reading: Reading): Promise<boolean> {
  const { listener, parser, signal, wasLive } = reading
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
  let heard = false
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return heard
    for (const event of parser.push(value)) {
      if (!heard) listener.onState('live')
      heard = true
      // Begun anew rather than resumed, because no event had told an id yet.
      if (event.type === 'open' && wasLive) listener.onReset()
      tell(event, listener)
    }
  }
}

function tell(event: StreamEvent, listener: StreamListener): void {
  if (event.type === 'reset') listener.onReset()
  else if (!SERVICE_EVENTS.has(event.type)) listener.onEvent(event)
}

/** About the stream itself. */
const SERVICE_EVENTS: ReadonlySet<string> = new Set(['open', 'resumed', 'end', 'message'])

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
