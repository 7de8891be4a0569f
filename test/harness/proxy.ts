import { connect, createServer, type Socket } from 'node:net'
import { atEnd } from './at-end.ts'

/** A line to a database or a service that a test can cut and mend. */
export async function cuttableLine(targetUrl: string) {
  const target = new URL(targetUrl)
  const sockets = new Set<Socket>()
  let cut = false
  const server = createServer((client) => {
    if (cut) return void client.destroy()
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
  atEnd(() => void server.close())
  const address = server.address()
  const url = new URL(targetUrl)
  url.port = String(typeof address === 'object' ? address?.port : '')
  return {
    url: url.href,
    cut() {
      cut = true
      for (const socket of sockets) socket.destroy()
    },
    mend() {
      cut = false
    },
    /** From now on nothing comes through, and nobody is told. */
    silence() {
      for (const socket of sockets) socket.unpipe().pause()
    },
  }
}
