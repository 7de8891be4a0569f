import { connect, createServer, type Socket } from 'node:net'
import { onFileFinished } from './on-file-finished.ts'

/** Starts a TCP proxy to a database or a service, which a test can disconnect and reconnect. */
export async function startTcpProxy(targetUrl: string) {
  const target = new URL(targetUrl)
  const sockets = new Set<Socket>()
  let isDown = false
  let isSilent = false
  const server = createServer((client) => {
    if (isDown) return void client.destroy()
    if (isSilent) {
      sockets.add(client)
      return void client.on('error', () => undefined).on('close', () => sockets.delete(client))
    }
    const upstream = connect(Number(target.port), target.hostname)
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.on('error', () => to.destroy())
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
      from.pipe(to)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onFileFinished(() => void server.close())
  const address = server.address()
  const url = new URL(targetUrl)
  url.port = String(typeof address === 'object' ? address?.port : '')
  return {
    url: url.href,
    disconnect() {
      isDown = true
      for (const socket of sockets) socket.destroy()
    },
    reconnect() {
      if (isSilent) for (const socket of sockets) socket.destroy()
      isDown = false
      isSilent = false
    },
    /** Drops all traffic without closing the connections; new ones work. */
    blackhole() {
      for (const socket of sockets) socket.unpipe().pause()
    },
    /** The same, also of new connections, as a network that drops every packet. */
    silence() {
      isSilent = true
      for (const socket of sockets) socket.unpipe().pause()
    },
  }
}
