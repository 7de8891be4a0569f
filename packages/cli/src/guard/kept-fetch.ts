import * as http from 'node:http'
import * as https from 'node:https'

type Sent = { method: string; headers: Record<string, string>; body?: string; signal?: AbortSignal }

/**
 * What the client of the SDK needs of fetch, over connections that are kept: Node's own takes two
 * milliseconds of a processor for each call, which here somebody waits for every time.
 */
export function createKeptFetch(): typeof fetch {
  const agents = {
    'http:': new http.Agent({ keepAlive: true, noDelay: true }),
    'https:': new https.Agent({ keepAlive: true, noDelay: true }),
  }

  function send(url: URL, sent: Sent): Promise<Response> {
    return new Promise((resolve, reject) => {
      const { body = '', signal, method } = sent
      const headers = { ...sent.headers, 'content-length': String(Buffer.byteLength(body)) }
      const isSecure = url.protocol === 'https:'
      const agent = isSecure ? agents['https:'] : agents['http:']
      const request = isSecure ? https.request : http.request
      const req = request(url, { method, headers, agent })
      const giveUp = () => req.destroy(new Error('given up'))
      const fail = (err: Error) =>
        reject(signal?.aborted ? signal.reason : new TypeError('fetch failed', { cause: err }))
      req.on('response', (answer) => read(answer, resolve, fail))
      req.on('error', (err) => {
        // The service closed a kept connection just as we wrote: it has not read the question.
        if (req.reusedSocket && Reflect.get(err, 'code') === 'ECONNRESET') {
          send(url, sent).then(resolve, reject)
        } else fail(err)
      })
      req.on('close', () => signal?.removeEventListener('abort', giveUp))
      if (signal?.aborted) giveUp()
      else signal?.addEventListener('abort', giveUp, { once: true })
      req.end(body)
    })
  }

  return async (input, init) => {
    const answer = await send(new URL(String(input)), sentOf(init))
    // Rare enough to be asked once more by something that can follow.
    return answer.status >= 300 && answer.headers.has('location') ? fetch(input, init) : answer
  }
}

function sentOf(init: RequestInit = {}): Sent {
  const { method = 'GET', body, signal } = init
  return {
    method,
    headers: Object.fromEntries(new Headers(init.headers)),
    ...(typeof body === 'string' && { body }),
    ...(signal && { signal }),
  }
}

function read(
  answer: http.IncomingMessage,
  resolve: (response: Response) => void,
  fail: (err: Error) => void,
): void {
  let text = ''
  answer.setEncoding('utf8')
  answer.on('data', (chunk: string) => {
    text += chunk
  })
  answer.on('error', fail)
  answer.on('end', () => resolve(responseOf(answer, text)))
}

function responseOf({ statusCode: status = 0, headers }: http.IncomingMessage, text: string) {
  const pairs = Object.entries(headers).flatMap(([name, value = '']) =>
    [value].flat().map((one): [string, string] => [name, one]),
  )
  // To make a stream of what was read whole, only to read it again, takes longer than to ask.
  return Object.assign(new Response(null, { status, headers: pairs }), {
    text: async () => text,
    json: async (): Promise<unknown> => JSON.parse(text),
  })
}
