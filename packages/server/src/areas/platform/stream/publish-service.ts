import { createBatcher } from '../../../kernel/batcher.ts'
import { SECOND_MS } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import type { Outbox, WrittenEvent } from '../../../kernel/events.ts'
import type { Notices } from '../../../kernel/notices.ts'
import { type Frame, frameOf, pack, textOf } from './frame.ts'

/** Word between nodes: frames for whoever listens, who listens, and the question who does. */
export const FRAMES_TOPIC = 'stream'
const HEARD_TOPIC = 'stream_heard'
const ASK_TOPIC = 'stream_ask'

/** Whoever listens says so again and again, and counts as listening for a while after. */
export const ANNOUNCE_MS = 20 * SECOND_MS
const HEARD_MS = 3 * ANNOUNCE_MS

/** PostgreSQL carries less than 8000 bytes at a time, topic and organisation included. */
const NOTICE_BYTES_MAX = 7000

/** Frames that are not in the outbox are batched for this long; beyond the bound they are dropped. */
const BATCH_MS = 50
const WAITING_MAX = 10_000

export type TellingDeps = {
  db: Db
  events: Outbox
  notices: Notices
  /** Milliseconds since any moment; never goes back. */
  elapsedMs(): number
  onError(err: unknown): void
}

/**
 * The writing side. While nobody listens to an organisation, on any node, all it costs is one look
 * into a map; else a notice in the transaction of the change, which carries the frames.
 */
export function createTelling(deps: TellingDeps) {
  const { notices } = deps
  const heardUntil = new Map<string, number>()
  // Words about who listens may have been missed: everybody counts as listening for a while.
  let unsureUntil = 0
  notices.on(HEARD_TOPIC, (orgId) => void heardUntil.set(orgId, deps.elapsedMs() + HEARD_MS))
  notices.onReset(() => {
    unsureUntil = deps.elapsedMs() + HEARD_MS
  })

  const isHeard = (orgId: string): boolean => {
    const until = heardUntil.get(orgId)
    if (until === undefined) return unsureUntil > 0 && deps.elapsedMs() < unsureUntil
    if (deps.elapsedMs() < until) return true
    heardUntil.delete(orgId)
    return false
  }

  const publish = async (db: Db, orgId: string, texts: readonly string[]): Promise<void> => {
    for (const packed of pack(texts, NOTICE_BYTES_MAX)) {
      await notices.publish(db, FRAMES_TOPIC, `${orgId} ${packed}`)
    }
  }

  /** For what no transaction writes down, such as an allowed call. */
  const batcher = createBatcher<{ orgId: string; text: string }, undefined>({
    async run(frames) {
      for (const [orgId, some] of byOrg(frames)) {
        const texts = some.map(({ text }) => text)
        await publish(deps.db, orgId, texts).catch(deps.onError)
      }
      return frames.map(() => undefined)
    },
    itemsMax: WAITING_MAX,
    ageMsMax: BATCH_MS,
    waitingMax: WAITING_MAX,
  })

  deps.events.follow(async (tx: Db, events: readonly WrittenEvent[]) => {
    if (heardUntil.size === 0 && unsureUntil === 0) return
    for (const [orgId, told] of byOrg(events)) {
      if (!isHeard(orgId)) continue
      const frames = told.map(frameOf).filter((frame) => frame !== undefined)
      await publish(tx, orgId, frames.map(textOf))
    }
  })

  return {
    /** Live only: a reader who is away does not get the frame later. Never waits, never fails. */
    tell(orgId: string, say: () => Frame): void {
      if (isHeard(orgId)) batcher.post({ orgId, text: textOf(say()) })
    },

    close: batcher.stop,

    /** Tells every node that somebody listens here. */
    announce: (orgId: string): Promise<void> => notices.publish(deps.db, HEARD_TOPIC, orgId),

    /** On the question of a node that has just started. */
    onAsked: (answer: () => void): void => notices.on(ASK_TOPIC, answer),
    ask: (): Promise<void> => notices.publish(deps.db, ASK_TOPIC, ''),
  }
}

function byOrg<One extends { orgId: string }>(given: readonly One[]): Map<string, One[]> {
  const grouped = new Map<string, One[]>()
  for (const one of given) {
    const known = grouped.get(one.orgId)
    if (known === undefined) grouped.set(one.orgId, [one])
    else known.push(one)
  }
  return grouped
}
