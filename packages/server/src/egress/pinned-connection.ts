import { isIP, type LookupFunction } from 'node:net'
import { performance } from 'node:perf_hooks'
import type { createSecureContext } from 'node:tls'
import { buildConnector, Client, type Dispatcher, Pool } from 'undici'

/** A connection that sends requests to a checked address. */
export type Connection = { client: Dispatcher; address(): string; release(): Promise<void> }

/** The addresses of a connection, checked just before. */
export type Pin = {
  addresses: readonly string[]
  secureContext: ReturnType<typeof createSecureContext>
  timeoutMs: number
}

/**
 * Connects to the given addresses, whatever the name resolves to now. SNI and the certificate
 * are still those of the name, because only the lookup is replaced.
 */
function pinnedConnect({ addresses, secureContext, timeoutMs }: Pin) {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }))
  const lookup: LookupFunction = (_hostname, { all }, callback) => {
    if (all) callback(null, answers)
    else callback(null, answers[0]?.address ?? '', answers[0]?.family)
  }
  const dial = buildConnector({
    lookup,
    secureContext,
    timeout: timeoutMs,
    autoSelectFamily: true,
    // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED cannot disable it.
    rejectUnauthorized: true,
    maxCachedSessions: 0,
  })
  let address = ''
  const connect: buildConnector.connector = (target, callback) => {
    dial(target, (...result) => {
      address = result[1]?.remoteAddress ?? address
      callback(...result)
    })
  }
  return { connect, address: () => address }
}

/** The caller limits the time of the whole request. */
const NO_TIMEOUTS = { headersTimeout: 0, bodyTimeout: 0 } as const

/** A connection for one request. */
export function openConnection(origin: string, pin: Pin): Connection {
  const { connect, address } = pinnedConnect(pin)
  const client = new Client(origin, { connect, pipelining: 0, ...NO_TIMEOUTS })
  return { client, address, release: () => client.destroy() }
}

/**
 * How long an idle connection is kept. Receivers close idle connections after several seconds;
 * one closed just as it is reused would cost an attempt.
 */
const IDLE_MS = 1000
const EVICTION_MS = 10 * IDLE_MS

type KeptConnection = { pool: Pool; address(): string; users: number; usedAtMs: number }

/**
 * Connections that are reused while requests follow closely. INVARIANT: a connection is used
 * only for the addresses it was opened for, so checking the request's addresses checks where the
 * connection leads.
 */
export function createKeepAlivePool() {
  const connections = new Map<string, KeptConnection>()

  const evictIdle = (nowMs: number): void => {
    for (const [key, kept] of connections) {
      // Ordered by last use: all later ones are fresher.
      if (nowMs - kept.usedAtMs < EVICTION_MS) return
      if (kept.users > 0) continue
      connections.delete(key)
      void kept.pool.destroy()
    }
  }

  return {
    take(origin: string, pin: Pin): Connection {
      const nowMs = performance.now()
      evictIdle(nowMs)
      const key = `${origin} ${[...pin.addresses].sort().join(' ')}`
      const kept = connections.get(key) ?? keptConnection(origin, pin)
      kept.users += 1
      kept.usedAtMs = nowMs
      connections.delete(key)
      connections.set(key, kept)
      const release = async () => {
        kept.users -= 1
      }
      return { client: kept.pool, address: kept.address, release }
    },
  }
}

function keptConnection(origin: string, pin: Pin): KeptConnection {
  const { connect, address } = pinnedConnect(pin)
  const idle = { keepAliveTimeout: IDLE_MS, keepAliveMaxTimeout: IDLE_MS }
  const pool = new Pool(origin, {
    connect,
    pipelining: 1,
    connections: null,
    ...idle,
    ...NO_TIMEOUTS,
  })
  return { pool, address, users: 0, usedAtMs: 0 }
}
