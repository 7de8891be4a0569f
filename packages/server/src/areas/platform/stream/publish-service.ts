import { createBatcher } from '../../../kernel/batcher.ts'
import { SECOND_MS } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import type { Outbox, WrittenEvent } from '../../../kernel/events.ts'
import type { Notices } from '../../../kernel/notices.ts'
import { type Frame, frameOf, pack, textOf } from './frame.ts'

/** Notice topics between nodes: frames, announcements of listeners, requests to announce them. */
export const FRAMES_TOPIC = 'stream'
const LISTENER_TOPIC = 'stream_heard'
const ASK_TOPIC = 'stream_ask'

/** A node announces its listeners at this interval; an announcement holds for three intervals. */
export const ANNOUNCE_MS = 20 * SECOND_MS
const ANNOUNCED_MS = 3 * ANNOUNCE_MS

/** A PostgreSQL notification carries less than 8000 bytes, topic and organisation included. */
const NOTICE_BYTES_MAX = 7000

/**
 * Frames that are not in the outbox are batched for this long; beyond the bound they are dropped.
 */
const BATCH_MS = 50
const WAITING_MAX = 10_000

export type PublisherDeps = {
  db: Db
  events: Outbox
  notices: Notices
  /** Monotonic clock in milliseconds. */
  elapsedMs(): number
  onError(err: unknown): void
}

/**
 * Publishes frames to the nodes. An organisation without a listener on any node costs one map
 * lookup; otherwise the frames travel in a notice of the transaction that made the change.
 */
export function createPublisher(deps: PublisherDeps) {
  const { notices } = deps
  const listenedUntil = new Map<string, number>()
  // Announcements may have been missed during a reset: every organisation counts as listened to.
  let unknownUntil = 0
  notices.on(LISTENER_TOPIC, (orgId) => {
    listenedUntil.set(orgId, deps.elapsedMs() + ANNOUNCED_MS)
  })
  notices.onReset(() => {
    unknownUntil = deps.elapsedMs() + ANNOUNCED_MS
  })

  const hasListener = (orgId: string): boolean => {
    const until = listenedUntil.get(orgId)
    if (until === undefined) return unknownUntil > 0 && deps.elapsedMs() < unknownUntil
    if (deps.elapsedMs() < until) return true
    listenedUntil.delete(orgId)
    return false
  }

  const publish = async (db: Db, orgId: string, texts: readonly string[]): Promise<void> => {
    for (const packed of pack(texts, NOTICE_BYTES_MAX)) {
      await notices.publish(db, FRAMES_TOPIC, `${orgId} ${packed}`)
    }
  }

  /** For frames that are not events of a transaction, such as an allowed call. */
  const batcher = createBatcher<{ orgId: string; text: string }, undefined>({
    async run(frames) {
      for (const [orgId, ofOrg] of byOrg(frames)) {
        const texts = ofOrg.map(({ text }) => text)
        await publish(deps.db, orgId, texts).catch(deps.onError)
      }
      return frames.map(() => undefined)
    },
    itemsMax: WAITING_MAX,
    ageMsMax: BATCH_MS,
    waitingMax: WAITING_MAX,
  })

  deps.events.subscribe(async (tx: Db, events: readonly WrittenEvent[]) => {
    if (listenedUntil.size === 0 && unknownUntil === 0) return
    for (const [orgId, ofOrg] of byOrg(events)) {
      if (!hasListener(orgId)) continue
      const frames = ofOrg.map(frameOf).filter((frame) => frame !== undefined)
      await publish(tx, orgId, frames.map(textOf))
    }
  })

  return {
    /** Live only: a disconnected reader does not get the frame later. Never waits, never fails. */
    publish(orgId: string, createFrame: () => Frame): void {
      if (hasListener(orgId)) batcher.post({ orgId, text: textOf(createFrame()) })
    },

    close: batcher.stop,

    /** Announces to every node that the organisation has a listener here. */
    announce: (orgId: string): Promise<void> => notices.publish(deps.db, LISTENER_TOPIC, orgId),

    /** Asks every node to announce its listeners, when this node starts. */
    askForListeners: (): Promise<void> => notices.publish(deps.db, ASK_TOPIC, ''),
    onAskForListeners: (answer: () => void): void => notices.on(ASK_TOPIC, answer),
  }
}

function byOrg<T extends { orgId: string }>(items: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const group = groups.get(item.orgId)
    if (group === undefined) groups.set(item.orgId, [item])
    else group.push(item)
  }
  return groups
}
