import type { Dispatcher } from 'undici'
import type { Deadline } from './deadline.ts'

export type Exchange = {
  path: string
  method: Dispatcher.HttpMethod
  headers: Record<string, string>
  body: string | Uint8Array | null
}

export type Bounds = {
  /** How much of the answer's body is read; a longer one closes the connection. */
  maxBytes: number
  deadline: Deadline
}

export type Answer = {
  status: number
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: Buffer
  truncated: boolean
}

/**
 * Sends one request and reads its answer through callbacks: a stream for a body of a few bytes
 * costs more than all the rest. Rejects at the deadline and ignores later data.
 */
export function exchange(
  client: Dispatcher,
  request: Exchange,
  { maxBytes, deadline }: Bounds,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    let status = 0
    let headers: Answer['headers'] = {}
    let abort: (reason: Error) => void = () => undefined
    const finish = () => {
      const [only = Buffer.alloc(0)] = chunks
      const body = chunks.length > 1 ? Buffer.concat(chunks) : only
      const truncated = length > maxBytes
      resolve({ status, headers, body: body.subarray(0, maxBytes), truncated })
    }
    deadline.onExpiry(() => {
      const late = new Error('no answer by the deadline')
      reject(late)
      abort(late)
    })
    client.dispatch(request, {
      onRequestStart(controller) {
        abort = (reason) => controller.abort(reason)
        // The request may have waited for its connection until now.
        if (deadline.hasExpired()) abort(new Error('the deadline has passed'))
      },
      onResponseStart(_, statusCode, fields) {
        status = statusCode
        headers = fields
      },
      onResponseData(_, chunk) {
        chunks.push(chunk)
        length += chunk.length
        if (length <= maxBytes) return
        finish()
        abort(new Error('the rest of the body is not needed'))
      },
      onResponseEnd: finish,
      onResponseError: (_, err) => reject(err),
    })
  })
}
