import type { Readable } from 'node:stream'
import { Agent } from 'undici'
import type { Headers } from './headers.ts'

export type UpstreamRequest = {
  origin: string
  path: string
  method: string
  headers: Record<string, string | string[]>
  body: Uint8Array | Readable | null
  signal: AbortSignal
}

export type UpstreamAnswer = { status: number; headers: Headers; body: Readable }

/** `timeout`: connecting, or the first or next byte, took too long. */
export type UpstreamFault = 'timeout' | 'unreachable'

export type UpstreamClient = {
  send(request: UpstreamRequest): Promise<UpstreamAnswer>
  close(): Promise<void>
}

const CONNECT_MS_MAX = 10_000
const KEPT_MS = 30_000

/**
 * Calls model providers. Redirects are answers like any other. Answers arrive with back-pressure: the
 * connection is read no faster than the client takes the bytes.
 */
export function createUpstreamClient({ silentMsMax }: { silentMsMax: number }): UpstreamClient {
  const agent = new Agent({
    connections: null,
    pipelining: 1,
    connect: { timeout: CONNECT_MS_MAX },
    headersTimeout: silentMsMax,
    bodyTimeout: silentMsMax,
    keepAliveTimeout: KEPT_MS,
  })
  return {
    async send(request) {
      const { statusCode, headers, body } = await agent.request({
        ...request,
        // undici lists the standard methods; the routes pass no others.
        method: request.method as 'POST',
      })
      return { status: statusCode, headers, body }
    },
    close: () => agent.destroy(),
  }
}

const TIMEOUT_CODE = /^UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT$|^ETIMEDOUT$/

export function faultOf(err: unknown): UpstreamFault {
  const code = err instanceof Error && 'code' in err ? String(err.code) : ''
  return TIMEOUT_CODE.test(code) ? 'timeout' : 'unreachable'
}
