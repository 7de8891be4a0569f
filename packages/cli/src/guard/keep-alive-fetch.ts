import * as http from 'node:http'
import * as https from 'node:https'
import { parseJson } from '../parse-json.ts'

type OutgoingRequest = {
  method: string
  headers: Record<string, string>
  body?: string
  signal?: AbortSignal
}

export type StreamListener = (answer: http.IncomingMessage, sent: string) => void

export type KeepAliveOptions = {
  bytesMax?: number
  /** Whether a request may be sent a second time, although the first may have arrived; default: always. */
  isRepeatable?(body: string): boolean
  /** Called with an answer that is a stream of events, and with the body of its request. */
  onStream?: StreamListener
}

/**
 * The subset of fetch that the clients of the service and of MCP servers need, over keep-alive
 * connections of node:http. Node's own fetch takes two milliseconds of CPU time per request, which would
 * delay every tool call. Answers are read whole, except streams of events. A stream that begins with the
 * response to its request becomes an answer of JSON, because nothing follows such a response, and parsing
 * a stream costs more than the request. An answer, or a line of a stream, with more than `bytesMax` bytes
 * is an error.
 */
export function createKeepAliveFetch({
  bytesMax = Number.POSITIVE_INFINITY,
  isRepeatable = () => true,
  onStream,
}: KeepAliveOptions = {}): typeof fetch {
  const agents = {
    'http:': new http.Agent({ keepAlive: true, noDelay: true }),
    'https:': new https.Agent({ keepAlive: true, noDelay: true }),
  }

  function send(url: URL, outgoing: OutgoingRequest): Promise<Response> {
    return new Promise((resolve, reject) => {
      const { body = '', signal, method } = outgoing
      const headers = { ...outgoing.headers, 'content-length': String(Buffer.byteLength(body)) }
      const isSecure = url.protocol === 'https:'
      const agent = isSecure ? agents['https:'] : agents['http:']
      const request = isSecure ? https.request : http.request
      const req = request(url, { method, headers, agent })
      const abort = () => req.destroy(new Error('aborted'))
      const fail = (err: Error) =>
        reject(signal?.aborted ? signal.reason : new TypeError('fetch failed', { cause: err }))
      req.on('response', (answer) =>
        read(answer, { bytesMax, onStream, sent: body, resolve, fail }),
      )
      req.on('error', (err) => {
        // Race: most likely the service closed the idle connection and did not read the request.
        const isReset = req.reusedSocket && Reflect.get(err, 'code') === 'ECONNRESET'
        if (isReset && isRepeatable(body)) {
          send(url, outgoing).then(resolve, reject)
        } else fail(err)
      })
      req.on('close', () => signal?.removeEventListener('abort', abort))
      if (signal?.aborted) abort()
      else signal?.addEventListener('abort', abort, { once: true })
      req.end(body)
    })
  }

  return async (input, init) => {
    const answer = await send(new URL(String(input)), outgoingRequest(init))
    // Redirects are rare, so the request is repeated with the global fetch, which follows them.
    const isRedirected = answer.status >= 300 && answer.headers.has('location')
    return isRedirected && init?.redirect !== 'manual' ? fetch(input, init) : answer
  }
}

function outgoingRequest(init: RequestInit = {}): OutgoingRequest {
  const { method = 'GET', body, signal } = init
  return {
    method,
    headers: Object.fromEntries(new Headers(init.headers)),
    ...(typeof body === 'string' && { body }),
    ...(signal && { signal }),
  }
}

type Reading = {
  bytesMax: number
  onStream: StreamListener | undefined
  /** The body of the request. */
  sent: string
  resolve(response: Response): void
  fail(err: Error): void
}

function read(answer: http.IncomingMessage, reading: Reading): void {
  if (isEventStream(answer)) readEvents(answer, reading)
  else readWhole(answer, reading)
}

function isEventStream({ headers }: http.IncomingMessage): boolean {
  return /^text\/event-stream\b/i.test(headers['content-type'] ?? '')
}

function readWhole(answer: http.IncomingMessage, { bytesMax, resolve, fail }: Reading): void {
  let text = ''
  answer.setEncoding('utf8')
  answer.on('data', (chunk: string) => {
    text += chunk
    if (text.length > bytesMax) answer.destroy(tooLarge(bytesMax))
  })
  answer.on('error', fail)
  answer.on('end', () => resolve(responseOf(answer, text)))
}

function readEvents(answer: http.IncomingMessage, reading: Reading): void {
  const { bytesMax, onStream, sent, resolve, fail } = reading
  const stream = () => {
    const { statusCode: status = 0 } = answer
    const body = streamOf(answer, bytesMax)
    resolve(new Response(body, { status, headers: headersOf(answer) }))
    onStream?.(answer, sent)
  }
  const end = () => {
    resolve(responseOf(answer, ''))
    onStream?.(answer, sent)
  }
  const begin = (chunk: Buffer) => {
    answer.off('end', end)
    answer.off('error', fail)
    const response = onlyResponseIn(chunk, sent)
    if (response === undefined) {
      answer.pause()
      answer.unshift(chunk)
      stream()
      return
    }
    answer.on('error', () => undefined)
    resolve(responseOf(answer, response, 'application/json'))
  }
  // A stream that was opened with GET answers no request, and may be silent for long.
  if (sent === '') stream()
  else answer.once('data', begin).once('end', end).once('error', fail)
}

/** One event without an id and without further lines. */
const ONLY_EVENT = /^(?:event: ?message\r?\n)?data: ?([^\r\n]+)\r?\n\r?\n$/

/** The JSON-RPC response to the request that was sent, if it is all that the chunk contains. */
function onlyResponseIn(chunk: Buffer, sent: string): string | undefined {
  const [, data = ''] = ONLY_EVENT.exec(chunk.toString('utf8')) ?? []
  const message = Object(parseJson(data))
  const isResponse = 'result' in message || 'error' in message
  return isResponse && message.id === Object(parseJson(sent)).id ? data : undefined
}

function tooLarge(bytesMax: number): Error {
  return new Error(`the answer exceeds the limit of ${bytesMax} bytes`)
}

const NEWLINE = 0x0a

/** Written out, because a stream made of a generator costs several times as much for a short answer. */
function streamOf(answer: http.IncomingMessage, bytesMax: number): ReadableStream<Uint8Array> {
  let lineBytes = 0
  return new ReadableStream<Uint8Array>({
    start(stream) {
      answer.on('data', (chunk: Buffer) => {
        // An event is buffered until its line ends, so an endless line would fill the memory.
        const lineEnd = chunk.lastIndexOf(NEWLINE)
        lineBytes = lineEnd === -1 ? lineBytes + chunk.length : chunk.length - lineEnd - 1
        if (lineBytes > bytesMax) return void answer.destroy(tooLarge(bytesMax))
        stream.enqueue(chunk)
        if ((stream.desiredSize ?? 1) <= 0) answer.pause()
      })
      answer.on('end', () => stream.close())
      answer.on('error', (err) => stream.error(err))
    },
    pull: () => void answer.resume(),
    cancel: () => void answer.destroy(),
  })
}

function headersOf({ headers }: http.IncomingMessage): [string, string][] {
  return Object.entries(headers).flatMap(([name, value = '']) =>
    [value].flat().map((text): [string, string] => [name, text]),
  )
}

function responseOf(answer: http.IncomingMessage, text: string, type?: string) {
  const { statusCode: status = 0 } = answer
  const own = headersOf(answer)
  const headers =
    type === undefined
      ? own
      : own.map(([name, value]): [string, string] => [name, name === 'content-type' ? type : value])
  // Overriding text() and json() avoids a stream over the buffered body, which is slower than the request.
  return Object.assign(new Response(null, { status, headers }), {
    text: async () => text,
    json: async (): Promise<unknown> => JSON.parse(text),
  })
}
