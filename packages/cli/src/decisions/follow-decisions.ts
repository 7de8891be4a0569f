import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, createSseParser, cursorItems, type StreamEvent } from '@touchstone/sdk'
import { type Connection, organisationOf } from '../service.ts'
import type { DecisionQuery } from './decision-filter.ts'
import { fromEvent, fromRecord, type LiveDecision, matches } from './live-decision.ts'

export type Following = {
  filter: DecisionQuery
  /** How many earlier decisions to start with. */
  last: number
  onDecision(decision: LiveDecision): void
  /** The stream is open and all earlier decisions were reported. */
  onLive(): void
  onInterrupted(): void
  /** More decisions were missed during an interruption than are read afterwards. */
  onGap(): void
  waitMs?: { first: number; max: number }
}

const WAIT_MS = { first: 2000, max: 30_000 }

const PAGE_MAX = 200

/** Decisions read after an interruption, at most. */
const MISSED_MAX = 1000

/** Decisions of the same moment may be stored in another order than that of their times. */
const OVERLAP_MS = 10_000
/** Ids kept to leave out repeated decisions: more than are read at once. */
const SEEN_MAX = 10_000

/**
 * Reads the live stream until the signal aborts. Live decisions have no event id from which a stream
 * could resume, so after each connect the decisions since the last one are read from the list.
 */
export async function followDecisions(
  connection: Connection,
  following: Following,
  signal: AbortSignal,
): Promise<void> {
  const orgId = await organisationOf(connection)
  const report = await begin(connection, following, signal)
  const { first, max } = following.waitMs ?? WAIT_MS
  let isFirst = true
  for (let failures = 0; !signal.aborted; failures += 1) {
    try {
      const events = await openStream(connection, orgId, signal)
      await catchUp(connection, following, { report, signal })
      following.onLive()
      isFirst = false
      failures = 0
      for await (const event of events) report.add(fromEvent(event))
    } catch (err) {
      if (signal.aborted) return
      if (isFirst || isPermanent(err)) throw err
    }
    if (signal.aborted) return
    following.onInterrupted()
    await sleep(Math.min(first * 2 ** failures, max), undefined, { signal }).catch(() => undefined)
  }
}

/** A wrong key or a missing organisation does not get better by asking again. */
function isPermanent(err: unknown): boolean {
  return err instanceof ApiError && err.status < 500 && err.status !== 429
}

async function openStream(
  { client }: Connection,
  orgId: string,
  signal: AbortSignal,
): Promise<AsyncIterable<StreamEvent>> {
  const answer = await client.raw('GET', '/v1/orgs/{org_id}/stream', {
    params: { org_id: orgId },
    headers: { accept: 'text/event-stream' },
    signal,
  })
  return eventsOf(answer)
}

async function* eventsOf({ body }: Response): AsyncGenerator<StreamEvent> {
  if (body === null) return
  const parser = createSseParser()
  // Node's streams can be iterated, although the types of the DOM do not say so.
  const chunks = body.pipeThrough(new TextDecoderStream()) as unknown as AsyncIterable<string>
  for await (const chunk of chunks) yield* parser.push(chunk)
}

/** Reports the last decisions. Without any to report, the newest one still marks the start. */
async function begin(
  connection: Connection,
  following: Following,
  signal: AbortSignal,
): Promise<Report> {
  const { filter, last } = following
  const found = await readNewest(connection, filter, { max: Math.max(last, 1), signal })
  const report = createReport(following, found[0])
  if (last > 0) for (const one of found.toReversed()) report.add(one)
  return report
}

/** Follows the opening of the stream, so that no decision is lost between the two. */
async function catchUp(
  connection: Connection,
  { filter, onGap }: Following,
  { report, signal }: { report: Report; signal: AbortSignal },
): Promise<void> {
  const newest = report.newestTime()
  const from = newest === undefined ? undefined : new Date(newest - OVERLAP_MS).toISOString()
  const found = await readNewest(connection, { ...filter, from }, { max: MISSED_MAX, signal })
  if (found.length >= MISSED_MAX) onGap()
  for (const one of found.reverse()) if (report.isAfterStart(one)) report.add(one)
}

async function readNewest(
  { client }: Connection,
  filter: DecisionQuery,
  { max, signal }: { max: number; signal: AbortSignal },
): Promise<LiveDecision[]> {
  const query = { ...filter, limit: Math.min(max, PAGE_MAX) }
  const found: LiveDecision[] = []
  for await (const record of cursorItems(client, '/v1/decisions', { query, signal })) {
    if (found.push(fromRecord(record)) >= max) break
  }
  return found
}

type Report = ReturnType<typeof createReport>

/** Reports every matching decision once. `start` is the newest decision at the start. */
function createReport(
  { filter, onDecision }: Pick<Following, 'filter' | 'onDecision'>,
  start: LiveDecision | undefined,
) {
  const seen = new Set<string>()
  let newest = start && Date.parse(start.time)
  const isNew = ({ decision_id: id, time }: LiveDecision): boolean => {
    if (seen.has(id)) return false
    seen.add(id)
    const [oldest] = seen
    if (seen.size > SEEN_MAX && oldest !== undefined) seen.delete(oldest)
    newest = Math.max(newest ?? 0, Date.parse(time))
    return true
  }
  return {
    newestTime: () => newest,
    /** Ids are ordered by time. */
    isAfterStart: ({ decision_id: id }: LiveDecision): boolean =>
      start === undefined || id > start.decision_id,
    add(one: LiveDecision | undefined): void {
      if (one !== undefined && matches(one, filter) && isNew(one)) onDecision(one)
    },
  }
}
