import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http'
import { parseJson } from '../parse-json.ts'
import { unreachableReason } from '../reason.ts'

export type HookAccess = { url: string; apiKey: string }

export type HookAnswer = {
  status: number
  /** The parsed body; undefined if it is not JSON. */
  body: unknown
  headers: IncomingMessage['headers']
}

export type HookRequest = {
  method: 'GET' | 'POST'
  path: string
  body?: unknown
  timeoutMs: number
  client: string
}

/** An answer of the service is small; more than this is something else. */
const ANSWER_BYTES_MAX = 4 * 1024 * 1024

/**
 * One request without a client library and without a kept connection: a hook is a process of its own
 * for each call, and its start-up is part of the call. Rejects if there is no complete answer in time.
 */
export async function send(access: HookAccess, request: HookRequest): Promise<HookAnswer> {
  const url = new URL(`${access.url.replace(/\/+$/, '')}${request.path}`)
  const start = url.protocol === 'https:' ? (await import('node:https')).request : requestHttp
  const body = request.body === undefined ? undefined : Buffer.from(JSON.stringify(request.body))
  const options: RequestOptions = {
    method: request.method,
    agent: false,
    headers: {
      authorization: `Bearer ${access.apiKey}`,
      'x-touchstone-client': request.client,
      ...(body && { 'content-type': 'application/json', 'content-length': body.length }),
    },
  }
  return new Promise((resolve, reject) => {
    const sent = start(url, options, (answer) => {
      readAnswer(answer).then(resolve, reject).finally(stopTimer)
    })
    const timer = setTimeout(
      () =>
        sent.destroy(
          new Error(`the service did not answer within ${Math.round(request.timeoutMs)} ms`),
        ),
      request.timeoutMs,
    )
    const stopTimer = () => clearTimeout(timer)
    sent.on('error', (err) => {
      stopTimer()
      reject(new Error(unreachableReason(err), { cause: err }))
    })
    sent.end(body)
  })
}

async function readAnswer(answer: IncomingMessage): Promise<HookAnswer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of answer) {
    bytes += chunk.length
    if (bytes > ANSWER_BYTES_MAX) throw new Error('the answer of the service is too long')
    chunks.push(chunk)
  }
  const { statusCode = 0, headers } = answer
  return { status: statusCode, body: parseJson(Buffer.concat(chunks).toString('utf8')), headers }
}
