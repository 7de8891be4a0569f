import { api } from './session.ts'

/** One thing that happened in the organisation, as the service tells it. */
export type StreamEvent = {
  id: string | undefined
  type: string
  data: Readonly<Record<string, unknown>>
}

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
  while (!signal.aborted) {
    listener.onState('connecting')
    const heard = await readOnce(orgId, { listener, parser, signal }).catch(() => false)
    if (signal.aborted) return
    failures = heard ? 0 : failures + 1
    listener.onState('away')
    await pause(Math.min(WAIT_MS_MIN * 2 ** failures, WAIT_MS_MAX), signal)
  }
}

type Reading = { listener: StreamListener; parser: FrameParser; signal: AbortSignal }

/** True when anything was heard. */
async function readOnce(orgId: string, { listener, parser, signal }: Reading): Promise<boolean> {
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
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
  let heard = false
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return heard
    for (const event of parser.push(value)) {
      if (!heard) listener.onState('live')
      heard = true
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

export type FrameParser = ReturnType<typeof createFrameParser>

/** Server-sent events out of a text that arrives in pieces (HTML, Server-sent events). */
export function createFrameParser() {
  let rest = ''
  let lastEventId: string | undefined
  return {
    lastEventId: () => lastEventId,
    push(piece: string): StreamEvent[] {
      // A piece may end between the two characters of one line break.
      const text = rest + piece
      const whole = text.endsWith('\r') ? text.slice(0, -1) : text
      const frames = whole.replace(/\r\n?/g, '\n').split('\n\n')
      rest = (frames.pop() ?? '') + text.slice(whole.length)
      return frames.flatMap((frame) => {
        const event = readFrame(frame)
        lastEventId = event?.id ?? lastEventId
        return event === undefined ? [] : [event]
      })
    },
  }
}

/** Undefined for comments and settings, which tell nothing. */
function readFrame(frame: string): StreamEvent | undefined {
  const fields = { event: 'message', id: '', data: '' }
  for (const line of frame.split('\n')) {
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? []
    if (name === 'data') fields.data += value
    else if (name === 'event' || name === 'id') fields[name] = value
  }
  if (fields.data === '') return undefined
  const data: unknown = JSON.parse(fields.data)
  return {
    id: fields.id === '' ? undefined : fields.id,
    type: fields.event,
    data: typeof data === 'object' && data !== null ? { ...data } : {},
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
