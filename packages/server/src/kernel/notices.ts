import { Socket } from 'node:net'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
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
  /**
   * Words may have been missed, so caches must be dropped. Called again and again while the line
   * is down or does not answer: nothing that is kept then gets old.
   */
  onReset(listener: () => void): void
  start(): Promise<void>
  stop(): Promise<void>
}

const CHANNEL = 'touchstone'
const RECONNECT_MS = 500

/**
 * How often the line is asked whether it stands, and how long an answer may take. Together less
 * than the second within which a change holds everywhere.
 */
const BEAT_MS = 300
const LATE_MS = 400
/** A line that has been silent for so long is given up. */
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

  /** A line that broke without a word, as behind a firewall, looks like one with nothing to tell. */
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
        // The answer may be here, and only this process too busy to have read it.
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
