import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Receiver = {
  /** Where events can be sent from now on. */
  open(): Promise<string>
  isOpen(): boolean
  close(): Promise<void>
}

/**
 * A receiver of webhooks, which listens on 127.0.0.1 for a short part of the story. It answers the first request as a
 * server does that is just being restarted, so that the event is sent again. Meanwhile the service itself sends
 * nothing: its rules forbid addresses on this machine.
 */
export function createReceiver(pauseSending: () => Promise<() => void>): Receiver {
  let requests = 0
  let resume: (() => void) | undefined
  const server = createServer((req, res) => {
    requests += 1
    res.statusCode = requests === 1 ? 503 : 200
    req.resume().once('end', () => res.end())
  })
  return {
    async open() {
      resume = await pauseSending()
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      // The cast is safe, because the server listens on a port.
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`
    },

    isOpen: () => resume !== undefined,

    async close() {
      if (resume === undefined) return
      resume()
      resume = undefined
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
