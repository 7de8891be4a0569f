import { randomBytes } from 'node:crypto'
import { Socket } from 'node:net'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { sql } from 'kysely'
import type pg from 'pg'
import type { TimeSample } from '../database/clock.ts'
import { createSession } from '../database/session.ts'
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
  /** False while notices may be missed: nothing that another node can change may be cached. */
  isLive(): boolean
  start(): Promise<void>
  stop(): Promise<void>
}

const CHANNEL = 'touchstone'
const RECONNECT_MS = 250
const CONNECT_MS_MAX = 5000

/**
 * How often the line proves itself, and how many proofs may be missing. Together less than the second
 * within which a change must take effect on every node.
 */
const BEAT_MS = 250
const MISSED_MAX = 2
/** The connection is closed and replaced after this many missing proofs. */
const DEAD_BEATS = 16
/** How long the start waits for the first proof, which never arrives behind a pooler. */
const FIRST_BEAT_MS_MAX = 2000

/** The connection that listens, and another that sends it a notice of its own. */
type Line = { listener: pg.Client; sender: pg.Client; channel: string; end(): void }

export function createNotices(options: {
  /** The database itself: a pooler in transaction mode does not pass notices on. */
  connectionString: string
  name?: string | undefined
  /** The time of the database, asked with each notice of its own. */
  onTime?: ((sample: TimeSample) => void) | undefined
  onError(err: unknown): void
}): Notices {
  const listeners = new Map<string, ((key: string) => void)[]>()
  const resetListeners: (() => void)[] = []
  let current: Line | undefined
  let isLive = false
  let isStopping = false
  /** Beats since the last proof. */
  let missed = 0

  const deliver = (payload: string): void => {
    const split = payload.indexOf(' ')
    for (const listener of listeners.get(payload.slice(0, split)) ?? []) {
      listener(payload.slice(split + 1))
    }
  }

  const reset = (): void => {
    for (const listener of resetListeners) listener()
  }

  /** Before the reset, so that no listener caches anything afterwards. */
  const suspend = (): void => {
    isLive = false
    reset()
  }

  const prove = (): void => {
    missed = 0
    if (isLive) return
    reset()
    isLive = true
  }

  const connect = async (): Promise<void> => {
    const line = await openLine(options)
    current = line
    const { listener, sender, channel } = line
    listener.on('notification', (message) => {
      if (message.channel !== channel) deliver(message.payload ?? '')
      else if (current === line) prove()
    })
    const onEnd = (): void => {
      if (current !== line) return
      current = undefined
      line.end()
      void reconnect()
    }
    for (const client of [listener, sender]) client.once('end', onEnd)
    const watching = watch(line)
    const isDone = () => isLive || current !== line
    for (let waited = 0; !isDone() && waited < FIRST_BEAT_MS_MAX; waited += 5) await sleep(5)
    void watching
  }

  /**
   * A notice of its own shows that the line hears others. A statement would not: it is answered behind a
   * pooler too, which drops the notices. Sent on another connection, because the one that listens would
   * hear itself even there.
   */
  const watch = async (line: Line): Promise<void> => {
    const send = createBeat(line, options.onTime)
    missed = 0
    while (current === line && !isStopping) {
      missed += 1
      send()
      await sleep(BEAT_MS, undefined, { ref: false })
      // The proof may have arrived while this process was too busy to read it.
      await turn()
      if (current !== line || isStopping) return
      if (missed >= MISSED_MAX) suspend()
      if (missed >= DEAD_BEATS) line.end()
    }
  }

  const reconnect = async (): Promise<void> => {
    while (!isStopping) {
      suspend()
      try {
        await connect()
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
    isLive: () => isLive,
    start: connect,
    async stop() {
      isStopping = true
      const line = current
      current = undefined
      await Promise.all([line?.listener.end(), line?.sender.end()])
    },
  }
}

/** Sends a notice, unless the one before is still under way. */
function createBeat({ sender, channel }: Line, onTime?: (sample: TimeSample) => void): () => void {
  let isSending = false
  const ask = async (): Promise<void> => {
    const sentMs = performance.now()
    const { rows } = await sender.query<{ now: string }>(
      `select pg_notify($1, ''), extract(epoch from clock_timestamp()) * 1000 as now`,
      [channel],
    )
    const databaseMs = Number(rows[0]?.now)
    onTime?.({ sentMs, databaseMs, receivedMs: performance.now() })
  }
  const onSent = () => {
    isSending = false
  }
  return () => {
    if (isSending) return
    isSending = true
    ask().then(onSent, onSent)
  }
}

async function openLine(options: Parameters<typeof createNotices>[0]): Promise<Line> {
  const sockets = [new Socket(), new Socket()] as const
  const end = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  const open = (socket: Socket): pg.Client => {
    const client = createSession(options.connectionString, {
      name: options.name,
      stream: () => socket,
      connectionTimeoutMillis: CONNECT_MS_MAX,
    })
    client.on('error', options.onError)
    return client
  }
  const [listener, sender] = [open(sockets[0]), open(sockets[1])]
  const channel = `${CHANNEL}_${randomBytes(9).toString('hex')}`
  try {
    await Promise.all([listener.connect(), sender.connect()])
    await listener.query(`LISTEN ${CHANNEL}; LISTEN ${channel}`)
    return { listener, sender, channel, end }
  } catch (err) {
    end()
    throw err
  }
}
