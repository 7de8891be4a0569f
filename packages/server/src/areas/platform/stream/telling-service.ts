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

/** What is not in the outbox is gathered for so long, and at most so much of it. */
const GATHER_MS = 50
const GATHERED_MAX = 2000

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

  deps.events.follow(async (tx: Db, events: readonly WrittenEvent[]) => {
    if (heardUntil.size === 0 && unsureUntil === 0) return
    for (const [orgId, told] of byOrg(events)) {
      if (!isHeard(orgId)) continue
      const frames = told.map(frameOf).filter((frame) => frame !== undefined)
      await publish(tx, orgId, frames.map(textOf))
    }
  })

  return {
    ...gathering(deps, { isHeard, publish }),

    /** Tells every node that somebody listens here. */
    announce: (orgId: string): Promise<void> => notices.publish(deps.db, HEARD_TOPIC, orgId),

    /** On the question of a node that has just started. */
    onAsked: (answer: () => void): void => notices.on(ASK_TOPIC, answer),
    ask: (): Promise<void> => notices.publish(deps.db, ASK_TOPIC, ''),
  }
}

function byOrg(events: readonly WrittenEvent[]): Map<string, WrittenEvent[]> {
  const grouped = new Map<string, WrittenEvent[]>()
  for (const event of events) {
    const known = grouped.get(event.orgId)
    if (known === undefined) grouped.set(event.orgId, [event])
    else known.push(event)
  }
  return grouped
}

type Publishing = {
  isHeard(orgId: string): boolean
  publish(db: Db, orgId: string, texts: readonly string[]): Promise<void>
}

/** What no transaction writes down, such as a call that was let through. */
function gathering(deps: TellingDeps, { isHeard, publish }: Publishing) {
  const gathered = new Map<string, string[]>()
  let timer: NodeJS.Timeout | undefined

  const flush = async (): Promise<void> => {
    timer = undefined
    const all = [...gathered]
    gathered.clear()
    for (const [orgId, texts] of all) await publish(deps.db, orgId, texts).catch(deps.onError)
  }

  return {
    /** Live only: whoever is away then does not hear of it later. Never waits, never fails. */
    tell(orgId: string, say: () => Frame): void {
      if (!isHeard(orgId)) return
      const texts = gathered.get(orgId) ?? []
      if (texts.length >= GATHERED_MAX) return
      texts.push(textOf(say()))
      gathered.set(orgId, texts)
      timer ??= setTimeout(() => void flush(), GATHER_MS)
    },

    async close(): Promise<void> {
      clearTimeout(timer)
      await flush()
    },
  }
}
