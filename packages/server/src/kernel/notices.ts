import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import type { Db } from './db.ts'

/**
 * Word between nodes that something changed. Sent by the writing transaction, so it arrives only
 * when the change is there to be read.
 */
export type Notices = {
  publish(tx: Db, topic: string, key: string): Promise<void>
  on(topic: string, listener: (key: string) => void): void
  /** Called after the line was down: words may have been missed, so caches must be dropped. */
  onReset(listener: () => void): void
  start(): Promise<void>
  stop(): Promise<void>
}

const CHANNEL = 'touchstone'
const RECONNECT_MS = 500

export function createNotices(options: {
  connectionString: string
  onError(err: unknown): void
}): Notices {
  const listeners = new Map<string, ((key: string) => void)[]>()
  const resetListeners: (() => void)[] = []
  let client: pg.Client | undefined
  let stopping = false

  const deliver = (payload: string): void => {
    const split = payload.indexOf(' ')
    for (const listener of listeners.get(payload.slice(0, split)) ?? []) {
      listener(payload.slice(split + 1))
    }
  }

  const connect = async (): Promise<void> => {
    const next = new pg.Client({ connectionString: options.connectionString, keepAlive: true })
    next.on('notification', (message) => deliver(message.payload ?? ''))
    next.on('error', options.onError)
    await next.connect()
    await next.query(`LISTEN ${CHANNEL}`)
    next.once('end', () => void reconnect())
    client = next
  }

  const reconnect = async (): Promise<void> => {
    while (!stopping) {
      try {
        await connect()
        for (const listener of resetListeners) listener()
        return
      } catch (err) {
        options.onError(err)
        await sleep(RECONNECT_MS)
      }
    }
  }

  return {
    async publish(tx, topic, key) {
      await sql`select pg_notify(${CHANNEL}, ${`${topic} ${key}`})`.execute(tx)
    },
    on: (topic, listener) => void listeners.set(topic, [...(listeners.get(topic) ?? []), listener]),
    onReset: (listener) => void resetListeners.push(listener),
    start: connect,
    async stop() {
      stopping = true
      await client?.end()
    },
  }
}
