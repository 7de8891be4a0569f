import { type Clock, later, SECOND_MS } from '../../../kernel/clock.ts'
import type { WrittenEvent } from '../../../kernel/events.ts'
import { Problem } from '../../../kernel/problem.ts'
import { type Frame, frameOf, keysOf, split, textOf } from './frame.ts'
import {
  ANNOUNCE_MS,
  createPublisher,
  FRAMES_TOPIC,
  type PublisherDeps,
} from './publish-service.ts'
import type { StreamWaits } from './waits.ts'

const HEARTBEAT_MS = 15 * SECOND_MS
const HEARTBEAT = ': beat\n\n'

/** Back-pressure limit: a reader with more unread text is too slow, and its stream is reset. */
const WAITING_CHARS_MAX = 256 * 1024

/** Open streams per process (spec: platform §3). */
const TOTAL_MAX = 2000
const LIMITS = [
  { of: 'orgId', max: 50, name: 'An organisation' },
  { of: 'userId', max: 100, name: 'An account' },
  { of: 'address', max: 100, name: 'An address' },
] as const

const REPLAYED_MAX = 1000

/**
 * Transactions commit in another order than they create their events, so an event older than the
 * last one received may have been missed. A replay overlaps by this much; events that are therefore
 * sent twice have the same id.
 */
const OVERLAP_MS = 5 * SECOND_MS

/** Tolerated clock skew between nodes. */
const SKEW_MS = 60 * SECOND_MS

/** The output of one connection. */
export type Sink = {
  push(text: string): void
  /** Number of characters the reader has not consumed yet. */
  waiting(): number
  /**
   * Ends the connection after pending text is consumed; cuts off a reader that consumes nothing.
   */
  end(): void
}

export type Reader = {
  orgId: string
  /** The person; a key counts as its creator. */
  userId: string
  /** The network address of the reader, as rate limits count it. */
  address: string
  /** Equal for streams that the same credential opened. */
  credential: string
  lastEventId: string | undefined
  /** How many of the last decisions to send first. */
  replay: number
  sink: Sink
  /** Whether the credential that opened the stream still has access, from the address of the stream. */
  isStillAdmitted(askOnce: <T>(ask: () => Promise<T>) => Promise<T>): Promise<boolean>
}

export type StreamDeps = PublisherDeps & { clock: Clock; waits: StreamWaits }

/** The newest live-only frames of an organisation, oldest first. */
export type RecentFrames = (orgId: string, limit: number) => Promise<readonly Frame[]>

export type StreamService = ReturnType<typeof createStreamService>

/** Streams of an organisation's live activity, on all nodes. */
export function createStreamService(deps: StreamDeps) {
  const publisher = createPublisher(deps)
  const streams = new Map<string, Set<Stream>>()
  let recentFrames: RecentFrames = async () => []
  const each = (work: (stream: Stream) => void): void => {
    for (const ofOrg of [...streams.values()]) for (const stream of [...ofOrg]) work(stream)
  }

  const close = (stream: Stream): void => {
    const ofOrg = streams.get(stream.reader.orgId)
    ofOrg?.delete(stream)
    if (ofOrg?.size === 0) streams.delete(stream.reader.orgId)
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
    if (stream.reader.sink.waiting() + text.length > WAITING_CHARS_MAX) {
      end(stream, controlFrame('reset'))
    } else stream.reader.sink.push(text)
  }

  const announce = () => {
    for (const orgId of streams.keys()) publisher.announce(orgId).catch(deps.onError)
  }

  const timers = createTimers([
    [HEARTBEAT_MS, () => each((stream) => send(stream, HEARTBEAT))],
    [ANNOUNCE_MS, announce],
    [deps.waits.recheckMs, () => recheckAll(each, end)],
  ])

  deps.notices.on(FRAMES_TOPIC, (notice) => {
    const space = notice.indexOf(' ')
    const ofOrg = streams.get(notice.slice(0, space))
    if (ofOrg === undefined) return
    const texts = notice.slice(space + 1)
    for (const stream of [...ofOrg]) {
      if (stream.buffered === undefined) sendLive(stream, texts, send)
      else if (!buffer(stream.buffered, texts)) end(stream, controlFrame('reset'))
    }
  })
  // Notices may have been missed: a reader that reconnects with its last id gets them replayed.
  deps.notices.onReset(() => each((stream) => end(stream)))
  publisher.onAskForListeners(announce)

  return {
    publish: publisher.publish,

    /** The feature whose frames are live only provides those that a reader asks to be replayed. */
    replayFrom(source: RecentFrames): void {
      recentFrames = source
    },

    /** Call after notices are connected. */
    start: publisher.askForListeners,

    /**
     * Throws if too many streams are open. Returns a function to call when the reader disconnects.
     */
    async open(reader: Reader): Promise<() => void> {
      assertRoom(streams, reader)
      const stream: Stream = { reader, isOpen: true, buffered: [], sent: new Set() }
      const ofOrg = streams.get(reader.orgId) ?? new Set()
      streams.set(reader.orgId, ofOrg.add(stream))
      timers.start()
      const openedAt = deps.clock.now()
      await publisher.announce(reader.orgId).catch((err: unknown) => {
        close(stream)
        throw err
      })
      void catchUp({ ...deps, recentFrames }, stream, { openedAt, send }).catch((err: unknown) => {
        deps.onError(err)
        end(stream)
      })
      return () => close(stream)
    },

    /** Ends all streams at shutdown, so that readers reconnect to another node. */
    endAll: (): void => each((stream) => end(stream, controlFrame('end', 'shutdown'))),

    close: publisher.close,
  }
}

type Stream = {
  reader: Reader
  isOpen: boolean
  /** Frames received during the replay; `undefined` after it. */
  buffered: string[] | undefined
  /** Keys of frames sent while catching up, so that none is sent twice; `undefined` after it. */
  sent: Set<string> | undefined
}

type Send = (stream: Stream, text: string) => void
type End = (stream: Stream, last?: string) => void

function controlFrame(event: 'open' | 'reset' | 'end', reason?: string): string {
  return `event: ${event}\ndata: ${JSON.stringify(reason === undefined ? {} : { reason })}\n\n`
}

function assertRoom(
  streams: ReadonlyMap<string, ReadonlySet<Stream>>,
  reader: Pick<Reader, (typeof LIMITS)[number]['of']>,
): void {
  const open = [...streams.values()].flatMap((ofOrg) => [...ofOrg])
  for (const { of, max, name } of LIMITS) {
    const count = open.filter((stream) => stream.reader[of] === reader[of]).length
    if (count >= max) throw tooManyStreams(`${name} can have at most ${max} open streams.`)
  }
  if (open.length >= TOTAL_MAX) throw tooManyStreams('Too many streams are open. Try again later.')
}

function tooManyStreams(message: string): Problem {
  return new Problem('rate_limited', message, { headers: { 'retry-after': '30' } })
}

/** Returns false if the buffer is full. */
function buffer(buffered: string[], texts: string): boolean {
  const chars = buffered.reduce((sum, text) => sum + text.length, texts.length)
  if (chars <= WAITING_CHARS_MAX) buffered.push(texts)
  return chars <= WAITING_CHARS_MAX
}

function sendLive(stream: Stream, texts: string, send: Send): void {
  send(stream, unsent(stream, texts))
}

/**
 * Asks once whose each credential is, however many streams it opened, and judges each stream by the
 * answer. If the check itself fails, it ends, too; its reader reconnects.
 */
function recheckAll(each: (work: (stream: Stream) => void) => void, end: End): void {
  const answers = new Map<string, Promise<unknown>>()
  each((stream) => {
    const { credential, isStillAdmitted } = stream.reader
    const askOnce = <T>(ask: () => Promise<T>): Promise<T> => {
      const answer = answers.get(credential) ?? ask()
      answers.set(credential, answer)
      // The cast is safe: all readers ask the same question about a credential.
      return answer as Promise<T>
    }
    const verdict = isStillAdmitted(askOnce).catch(() => false)
    void verdict.then((isAdmitted) => {
      if (!isAdmitted) end(stream, controlFrame('end', 'credential'))
    })
  })
}

type CatchUpDeps = StreamDeps & { recentFrames: RecentFrames }

/**
 * Sends the missed events and the last decisions, then those buffered during the replay, then those
 * that other nodes did not publish because the announcement of this listener had not reached them.
 */
async function catchUp(
  deps: CatchUpDeps,
  stream: Stream,
  { openedAt, send }: { openedAt: Date; send: Send },
): Promise<void> {
  send(stream, `retry: 2000\n\n${await replay(deps, stream)}`)
  send(stream, unsent(stream, await recentTexts(deps, stream)))
  const buffered = stream.buffered ?? []
  stream.buffered = undefined
  for (const texts of buffered) send(stream, unsent(stream, texts))
  await settle(deps)
  if (!stream.isOpen) return
  const { orgId } = stream.reader
  const missed = await listFrom(deps, orgId, later(openedAt, -SECOND_MS))
  const texts = missed.length > REPLAYED_MAX ? controlFrame('reset') : textsOf(missed)
  send(stream, unsent(stream, texts))
  send(stream, unsent(stream, await recentTexts(deps, stream, later(openedAt, -SECOND_MS))))
  // The notices of what was just read may still be on their way.
  await settle(deps)
  stream.sent = undefined
}

function settle({ waits }: StreamDeps): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, waits.settledMs).unref()
  })
}

/** The last decisions, or those of them since a time; none unless the reader asked for a replay. */
async function recentTexts(
  deps: CatchUpDeps,
  { reader }: Stream,
  since = new Date(0),
): Promise<string> {
  if (reader.replay === 0) return ''
  const frames = await deps.recentFrames(reader.orgId, reader.replay)
  return frames
    .filter(({ at }) => at >= since)
    .map(textOf)
    .join('')
}

async function replay(deps: StreamDeps, stream: Stream): Promise<string> {
  const { orgId, lastEventId } = stream.reader
  if (lastEventId === undefined) return controlFrame('open')
  const last = await deps.events.find(orgId, lastEventId)
  if (last === undefined) return controlFrame('reset')
  stream.sent?.add(last.id)
  const missed = await listFrom(deps, orgId, later(last.createdAt, -OVERLAP_MS))
  if (missed.length > REPLAYED_MAX) return controlFrame('reset')
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

/** The frames this stream has not sent yet; marks them as sent. */
function unsent({ sent }: Stream, texts: string): string {
  if (sent === undefined || texts === '') return texts
  const fresh = split(texts).filter((text) => keysOf(text).every((key) => !sent.has(key)))
  for (const text of fresh) for (const key of keysOf(text)) sent.add(key)
  return fresh.join('')
}

/** Intervals that run only while a stream is open. */
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
