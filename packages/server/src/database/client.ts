import type { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import pg from 'pg'
import { NoPrimary, type Primary, refusalOf } from './primary.ts'

type Callback = Parameters<pg.Client['connect']>[0]

/** The connection of a client, which its type does not show. */
type Connection = EventEmitter & { stream: Socket }

function connectionOf(client: pg.ClientBase): Connection {
  // The cast is safe: the JavaScript client always has one.
  return (client as unknown as { connection: Connection }).connection
}

/**
 * A client that connects to the primary, wherever it is by then. It refuses a session on a replica:
 * PostgreSQL says at the start of each session whether the server is one, without being asked.
 */
export function createClientClass(primary: Primary): typeof pg.Client {
  return class PrimaryClient extends pg.Client {
    override connect(): Promise<this>
    override connect(callback: Callback): void
    override connect(callback?: Callback): Promise<this> {
      const connected = this.#connect()
      // The cast is safe: pg-pool passes a function that expects nothing if it succeeds.
      const done = callback as ((err?: Error) => void) | undefined
      if (done !== undefined) connected.then(() => done(), done)
      return connected
    }

    async #connect(): Promise<this> {
      const { name, host, port } = await primary.find()
      const connection = connectionOf(this)
      // The pool gave up while the primary was searched.
      if (connection.stream.destroyed) throw new Error('timeout exceeded when trying to connect')
      Object.assign(this, { host, port })
      let isSuspect = primary.hosts.needsReadWrite
      connection.on(
        'parameterStatus',
        (status: { parameterName: string; parameterValue: string }) => {
          if (status.parameterName === 'in_hot_standby')
            isSuspect ||= status.parameterValue === 'on'
        },
      )
      try {
        await super.connect()
        // Asked again, because behind a pooler the first answer may be that of another server.
        const refusal = isSuspect ? await refusalOf(this, primary.hosts.needsReadWrite) : undefined
        if (refusal !== undefined) throw new NoPrimary(`${name} ${refusal}.`)
      } catch (err) {
        if (isOfServer(err)) primary.invalidate(name)
        void this.end().catch(() => undefined)
        throw err
      }
      return this
    }
  }
}

/** False if the server works and refused this session only, such as for its password. */
function isOfServer(err: unknown): boolean {
  return !(err instanceof pg.DatabaseError) || /^(08|57P)/.test(err.code ?? '')
}
