import type { Server } from 'node:net'
import { clientAddress, limitKey } from '../identity/client-address.ts'

/**
 * Closes connections of an address that has too many open. Slow readers and writers cost memory for
 * as long as they stay, and no rate limit counts them.
 */
export function limitConnections(server: Server, perAddressMax: number): void {
  const open = new Map<string, number>()
  server.on('connection', (socket) => {
    const socketAddress = socket.remoteAddress
    const key = limitKey(clientAddress({ socketAddress, forwardedFor: undefined, trustedHops: 0 }))
    const count = (open.get(key) ?? 0) + 1
    if (count > perAddressMax) {
      socket.destroy()
      return
    }
    open.set(key, count)
    socket.once('close', () => {
      const left = (open.get(key) ?? 1) - 1
      if (left === 0) open.delete(key)
      else open.set(key, left)
    })
  })
}
