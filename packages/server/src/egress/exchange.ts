import type { Dispatcher } from 'undici'
import type { Deadline } from './deadline.ts'

export type Exchange = {
  path: string
  method: Dispatcher.HttpMethod
  headers: Record<string, string>
  body: string | Uint8Array | null
}

export type Bounds = {
  /** How much of the answer's body is read; a longer one costs the connection. */
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
 * One request and its answer, read as it comes: a stream for a body that is a few bytes long costs
 * more than all the rest. Rejects at the deadline, and what comes later is not heard.
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
    deadline.onOver(() => {
      const late = new Error('no answer by the deadline')
      reject(late)
      abort(late)
    })
    client.dispatch(request, {
      onRequestStart(controller) {
        abort = (reason) => controller.abort(reason)
        // It may have waited for its connection until now.
        if (deadline.isOver()) abort(new Error('nobody waits for it'))
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
        abort(new Error('the rest is not wanted'))
      },
      onResponseEnd: finish,
      onResponseError: (_, err) => reject(err),
    })
  })
}
