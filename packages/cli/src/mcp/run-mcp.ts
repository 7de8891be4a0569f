import { once } from 'node:events'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import type { Client } from '@touchstone/sdk'
import type { Io } from '../io.ts'
import { serveHttp } from './http.ts'
import { createMcpServer } from './server.ts'

type Options = { client: Client; version: string; io: Io }

/** Runs until the client closes its end or a stop is requested. */
export async function runStdio({ client, version, io }: Options): Promise<void> {
  const server = createMcpServer(client, version)
  const stop = io.stopSignal()
  const end = Promise.race([once(io.stdin, 'end'), once(io.stdin, 'close'), once(stop, 'abort')])
  await server.connect(new StdioServerTransport(io.stdin, io.stdout))
  await end
  await server.close()
}

export async function runHttp({ client, version, io }: Options, port: number): Promise<void> {
  const stop = io.stopSignal()
  const server = await serveHttp(port, () => createMcpServer(client, version))
  io.note(`MCP at ${server.url}. Stop with Ctrl-C.`)
  if (!stop.aborted) await once(stop, 'abort')
  await server.close()
}
