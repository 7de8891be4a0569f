import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'
import { onFileFinished } from './on-file-finished.ts'

type HttpServer = Server & { closeAllConnections(): void }

/** Listens on a free port of 127.0.0.1 until the tests of the file have run; returns the port. */
export async function listen(server: HttpServer): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onFileFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  // The cast holds because address() returns a string only for pipes.
  return (server.address() as AddressInfo).port
}
