import { type Clock, later, SECOND_MS } from '../../../kernel/clock.ts'
import type { WrittenEvent } from '../../../kernel/events.ts'
import { Problem } from '../../../kernel/problem.ts'
import { frameOf, idsIn, split, textOf } from './frame.ts'
import { ANNOUNCE_MS, createTelling, FRAMES_TOPIC, type TellingDeps } from './telling-service.ts'

const BEAT_MS = 15 * SECOND_MS
const BEAT = ': beat\n\n'

/** How soon a stream ends after its credential did. */
const RECHECK_MS = 5 * SECOND_MS

/** What waits for a reader; beyond that it is too slow to be told everything. */
const WAITING_CHARS_MAX = 256 * 1024

/** Per process. */
const PER_ORG_MAX = 50
const TOTAL_MAX = 2000

const REPLAYED_MAX = 1000

/**
 * Transactions end in another order than they told their events, so one that is behind the last
 * event heard may still be unheard. What is sent twice for that has the same id.
 */
const OVERLAP_MS = 5 * SECOND_MS

/** By then every node has heard that somebody listens. */
const SETTLED_MS = 2 * SECOND_MS

/** Clocks of nodes differ. */
const SKEW_MS = 60 * SECOND_MS

/** Where the frames of one connection go. */
export type Sink = {
  push(text: string): void
  /** Characters that the reader has not taken yet. */
  waiting(): number
  /** Once what waits is taken; one who takes nothing is cut off a little later. */
  end(): void
}

export type Reader = {
  orgId: string
  lastEventId: string | undefined
  sink: Sink
  /** Whether the credential that opened the stream would open it now. */
  isStillAdmitted(): Promise<boolean>
}

export type StreamDeps = TellingDeps & { clock: Clock }

export type StreamService = ReturnType<typeof createStreamService>

/** A stream of what happens in an organisation, from whichever node it happens on. */
export function createStreamService(deps: StreamDeps) {
  const telling = createTelling(deps)
  const streams = new Map<string, Set<Stream>>()
  const each = (work: (stream: Stream) => void): void => {
    for (const some of [...streams.values()]) for (const stream of [...some]) work(stream)
  }

  const close = (stream: Stream): void => {
    const some = streams.get(stream.reader.orgId)
    some?.delete(stream)
    if (some?.size === 0) streams.delete(stream.reader.orgId)
    if (streams.size === 0) timers.stop()
    stream.isOpen = false
  }

  const end = (stream: Stream, last = ''): void => {
    if (!stream.isOpen) return
    close(stream)
    if (last !== '') stream.reader.sink.push(last)
    stream.reader.sink.end()
  }

  const send = (stream: Stream, text: string): void => {
    if (!stream.isOpen || text === '') return
    if (stream.reader.sink.waiting() + text.length > WAITING_CHARS_MAX) end(stream, saying('reset'))
    else stream.reader.sink.push(text)
  }

  const announce = () => {
    for (const orgId of streams.keys()) telling.announce(orgId).catch(deps.onError)
  }

  const timers = createTimers([
    [BEAT_MS, () => each((stream) => send(stream, BEAT))],
    [ANNOUNCE_MS, announce],
    [RECHECK_MS, () => each((stream) => void recheck(stream, end))],
  ])

  deps.notices.on(FRAMES_TOPIC, (word) => {
    const space = word.indexOf(' ')
    const some = streams.get(word.slice(0, space))
    if (some === undefined) return
    const texts = word.slice(space + 1)
    for (const stream of [...some]) {
      if (stream.held === undefined) hear(stream, texts, send)
      else if (!hold(stream.held, texts)) end(stream, saying('reset'))
    }
  })
  // Something may have been missed: whoever comes back with the last id gets it from the outbox.
  deps.notices.onReset(() => each((stream) => end(stream)))
  telling.onAsked(announce)

  return {
    tell: telling.tell,

    /** Once the line between nodes stands. */
    start: telling.ask,

    /** Throws when there are too many. What it returns is called when the reader has gone. */
    async open(reader: Reader): Promise<() => void> {
      assertRoom(streams, reader.orgId)
      const stream: Stream = { reader, isOpen: true, held: [], sent: new Set() }
      const some = streams.get(reader.orgId) ?? new Set()
      streams.set(reader.orgId, some.add(stream))
      timers.start()
      const openedAt = deps.clock.now()
      await telling.announce(reader.orgId).catch((err: unknown) => {
        close(stream)
        throw err
      })
      void begin(deps, stream, { openedAt, send }).catch((err: unknown) => {
        deps.onError(err)
        end(stream)
      })
      return () => close(stream)
    },

    /** No stream outlives the service; the readers look for another node. */
    endAll: (): void => each((stream) => end(stream, saying('end', 'shutdown'))),

    close: telling.close,
  }
}

type Stream = {
  reader: Reader
  isOpen: boolean
  /** What was heard while the past is still being read. */
  held: string[] | undefined
  /** Ids of the first moments, so that catching up tells nothing twice. */
  sent: Set<string> | undefined
}

type Send = (stream: Stream, text: string) => void
type End = (stream: Stream, last?: string) => void

function saying(event: 'open' | 'reset' | 'end', reason?: string): string {
  return `event: ${event}\ndata: ${JSON.stringify(reason === undefined ? {} : { reason })}\n\n`
}

function assertRoom(streams: ReadonlyMap<string, ReadonlySet<Stream>>, orgId: string): void {
  let total = 0
  for (const some of streams.values()) total += some.size
  if ((streams.get(orgId)?.size ?? 0) >= PER_ORG_MAX) {
    throw noRoom(`An organisation has at most ${PER_ORG_MAX} open streams.`)
  }
  if (total >= TOTAL_MAX) throw noRoom('The service has as many open streams as it can.')
}

function noRoom(message: string): Problem {
  return new Problem('rate_limited', message, { headers: { 'retry-after': '30' } })
}

/** False when it is too much. */
function hold(held: string[], texts: string): boolean {
  const chars = held.reduce((sum, text) => sum + text.length, texts.length)
  if (chars <= WAITING_CHARS_MAX) held.push(texts)
  return chars <= WAITING_CHARS_MAX
}

function hear(stream: Stream, texts: string, send: Send): void {
  if (stream.sent !== undefined) for (const id of idsIn(texts)) stream.sent.add(id)
  send(stream, texts)
}

/** A credential that cannot be judged now counts as none; the reader asks again. */
async function recheck(stream: Stream, end: End): Promise<void> {
  const isAdmitted = await stream.reader.isStillAdmitted().catch(() => false)
  if (!isAdmitted) end(stream, saying('end', 'credential'))
}

type Beginning = { openedAt: Date; send: Send }

/** The past that was missed, what came meanwhile, and what other nodes kept to themselves. */
async function begin(
  deps: StreamDeps,
  stream: Stream,
  { openedAt, send }: Beginning,
): Promise<void> {
  send(stream, `retry: 2000\n\n${await replay(deps, stream)}`)
  const held = stream.held ?? []
  stream.held = undefined
  for (const texts of held) send(stream, unsent(stream, texts))
  await new Promise((resolve) => setTimeout(resolve, SETTLED_MS).unref())
  if (!stream.isOpen) return
  const { orgId } = stream.reader
  const missed = await listFrom(deps, orgId, later(openedAt, -SECOND_MS))
  const texts = missed.length > REPLAYED_MAX ? saying('reset') : textsOf(missed)
  send(stream, unsent(stream, texts))
  stream.sent = undefined
}

async function replay(deps: StreamDeps, stream: Stream): Promise<string> {
  const { orgId, lastEventId } = stream.reader
  if (lastEventId === undefined) return saying('open')
  const last = await deps.events.find(orgId, lastEventId)
  if (last === undefined) return saying('reset')
  stream.sent?.add(last.id)
  const missed = await listFrom(deps, orgId, later(last.createdAt, -OVERLAP_MS))
  if (missed.length > REPLAYED_MAX) return saying('reset')
  return `event: resumed\ndata: {}\n\n${unsent(stream, textsOf(missed))}`
}

function listFrom(deps: StreamDeps, orgId: string, since: Date): Promise<WrittenEvent[]> {
  const until = later(deps.clock.now(), SKEW_MS)
  return deps.events.list(orgId, { since, until, after: undefined, limit: REPLAYED_MAX + 1 })
}

function textsOf(events: readonly WrittenEvent[]): string {
  const frames = events.map(frameOf).filter((frame) => frame !== undefined)
  return frames.map(textOf).join('')
}

/** Those of the texts that this stream has not had yet; it has them now. */
function unsent({ sent }: Stream, texts: string): string {
  if (sent === undefined || texts === '') return texts
  const fresh = split(texts).filter((text) => idsIn(text).every((id) => !sent.has(id)))
  for (const text of fresh) for (const id of idsIn(text)) sent.add(id)
  return fresh.join('')
}

/** They run only while there is somebody to run for. */
function createTimers(works: readonly (readonly [everyMs: number, work: () => void])[]) {
  let running: NodeJS.Timeout[] = []
  return {
    start(): void {
      if (running.length > 0) return
      running = works.map(([everyMs, work]) => setInterval(work, everyMs).unref())
    },
    stop(): void {
      for (const timer of running) clearInterval(timer)
      running = []
    },
  }
}
