import { Socket } from 'node:net'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import type { Db } from './db.ts'

/**
 * Change notifications between nodes over LISTEN/NOTIFY. The writing transaction publishes them, so a
 * notice arrives only after its change is committed and can be read.
 */
export type Notices = {
  publish(tx: Db, topic: string, key: string): Promise<void>
  on(topic: string, listener: (key: string) => void): void
  /**
   * Notices may have been missed, so listeners must clear their caches. Called repeatedly while the
   * connection is down or does not answer, so that nothing cached meanwhile goes stale.
   */
  onReset(listener: () => void): void
  start(): Promise<void>
  stop(): Promise<void>
}

const CHANNEL = 'touchstone'
const RECONNECT_MS = 500

/**
 * How often the connection is probed, and how long an answer may take. Together less than the second
 * within which a change must take effect on every node.
 */
const BEAT_MS = 300
const LATE_MS = 400
/** The connection is closed and replaced after this many unanswered probes. */
const DEAD_BEATS = 15

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

  const reset = (): void => {
    for (const listener of resetListeners) listener()
  }

  const connect = async (): Promise<void> => {
    const socket = new Socket()
    const { connectionString } = options
    const next = new pg.Client({ connectionString, keepAlive: true, stream: () => socket })
    next.on('notification', (message) => deliver(message.payload ?? ''))
    next.on('error', options.onError)
    try {
      await next.connect()
      await next.query(`LISTEN ${CHANNEL}`)
    } catch (err) {
      socket.destroy()
      throw err
    }
    client = next
    next.once('end', () => {
      if (client === next) client = undefined
      void reconnect()
    })
    void watch(next, socket)
  }

  /** A connection that a firewall dropped silently looks like one without notices, so it is probed. */
  const watch = async (line: pg.Client, socket: Socket): Promise<void> => {
    while (client === line && !stopping) {
      await sleep(BEAT_MS, undefined, { ref: false })
      let silent = true
      const answer = line.query('select 1').then(
        () => {
          silent = false
        },
        () => undefined,
      )
      for (let beat = 0; silent && client === line && !stopping; beat += 1) {
        await Promise.race([answer, sleep(LATE_MS, undefined, { ref: false })])
        // The answer may have arrived while this process was too busy to read it.
        await turn()
        if (!silent) break
        reset()
        if (beat >= DEAD_BEATS) socket.destroy()
      }
    }
  }

  const reconnect = async (): Promise<void> => {
    while (!stopping) {
      reset()
      try {
        await connect()
        reset()
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
