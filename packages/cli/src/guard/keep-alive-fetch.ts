import * as http from 'node:http'
import * as https from 'node:https'

type OutgoingRequest = {
  method: string
  headers: Record<string, string>
  body?: string
  signal?: AbortSignal
}

/**
 * The subset of fetch that the SDK client needs, over keep-alive connections of node:http. Node's own
 * fetch takes two milliseconds of CPU time per request, which would delay every tool call.
 */
export function createKeepAliveFetch(): typeof fetch {
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
      req.on('response', (answer) => read(answer, resolve, fail))
      req.on('error', (err) => {
        // Race: the service closed the idle connection and did not read the request, so retry it.
        if (req.reusedSocket && Reflect.get(err, 'code') === 'ECONNRESET') {
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
    return answer.status >= 300 && answer.headers.has('location') ? fetch(input, init) : answer
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
    [value].flat().map((text): [string, string] => [name, text]),
  )
  // Overriding text() and json() avoids a stream over the buffered body, which is slower than the request.
  return Object.assign(new Response(null, { status, headers: pairs }), {
    text: async () => text,
    json: async (): Promise<unknown> => JSON.parse(text),
  })
}
