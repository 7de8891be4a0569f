import { isIP, type LookupFunction } from 'node:net'
import { performance } from 'node:perf_hooks'
import type { createSecureContext } from 'node:tls'
import { buildConnector, Client, type Dispatcher, Pool } from 'undici'

/** A way to send one request to a judged address. */
export type Line = { client: Dispatcher; address(): string; release(): Promise<void> }

/** Where a connection may lead, judged a moment ago. */
export type Pin = {
  addresses: readonly string[]
  secureContext: ReturnType<typeof createSecureContext>
  timeoutMs: number
}

/**
 * Connects to the given addresses whatever the name says by now. SNI and the certificate are
 * still those of the name, because only the lookup is replaced.
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
    // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED cannot switch it off.
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

/** Time is the caller's to limit, over all of a request. */
const NO_TIMEOUTS = { headersTimeout: 0, bodyTimeout: 0 } as const

/** A connection for one request. */
export function openLine(origin: string, pin: Pin): Line {
  const { connect, address } = pinnedConnect(pin)
  const client = new Client(origin, { connect, pipelining: 0, ...NO_TIMEOUTS })
  return { client, address, release: () => client.destroy() }
}

/**
 * How long a connection waits for another request. Receivers drop idle ones after several seconds;
 * one that is dropped as it is used would cost an attempt.
 */
const IDLE_MS = 1000
const FORGOTTEN_MS = 10 * IDLE_MS

type KeptLine = { pool: Pool; address(): string; users: number; usedAtMs: number }

/**
 * Connections that are used again while requests follow each other closely.
 * INVARIANT: a connection is only used for the addresses it was opened for, so judging those of
 * the request is judging where it leads.
 */
export function createKeptLines() {
  const lines = new Map<string, KeptLine>()

  const forgetIdle = (nowMs: number): void => {
    for (const [key, line] of lines) {
      // In the order of their last use: those that follow are fresher.
      if (nowMs - line.usedAtMs < FORGOTTEN_MS) return
      if (line.users > 0) continue
      lines.delete(key)
      void line.pool.destroy()
    }
  }

  return {
    take(origin: string, pin: Pin): Line {
      const nowMs = performance.now()
      forgetIdle(nowMs)
      const key = `${origin} ${[...pin.addresses].sort().join(' ')}`
      const line = lines.get(key) ?? keptLine(origin, pin)
      line.users += 1
      line.usedAtMs = nowMs
      lines.delete(key)
      lines.set(key, line)
      const release = async () => {
        line.users -= 1
      }
      return { client: line.pool, address: line.address, release }
    },
  }
}

function keptLine(origin: string, pin: Pin): KeptLine {
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
