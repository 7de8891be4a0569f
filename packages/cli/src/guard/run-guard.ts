import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { mcpToolName } from '@touchstone/protocol/policy'
import { CliError } from '../cli-error.ts'
import type { ExitCode } from '../command.ts'
import { createClientTransport } from './client-transport.ts'
import { type GuardOptions, MESSAGE_BYTES_MAX, startGuardSession } from './guard-session.ts'
import { serveSessions } from './http-sessions.ts'

export type RunOptions = GuardOptions & {
  /** Session of all calls; by default each session of a client has its own. */
  session: string | undefined
  /** Aborted when the process should stop. */
  stop: AbortSignal
}

type Stdio = {
  stdin: Readable
  stdout: Writable
  /** Resolves when the client closes its end. */
  clientClosed: Promise<unknown>
}

/** Runs until the client disconnects, the server exits, or a stop is requested. */
export async function runGuard(
  options: RunOptions,
  { stdin, stdout, clientClosed }: Stdio,
): Promise<ExitCode> {
  const { stop, note } = options
  const client = createClientTransport({ stdin, stdout, bytesMax: MESSAGE_BYTES_MAX })
  const session = await startGuardSession(options, { client, session: sessionOf(options) }).catch(
    (cause: unknown) => {
      throw new CliError('server', `${programOf(options)} cannot be started: ${String(cause)}`, {
        cause,
      })
    },
  )
  introduce(options)
  const first = await Promise.race([
    session.serverClosed.then(() => 'server' as const),
    clientClosed.then(() => 'client' as const),
    stopped(stop).then(() => 'stop' as const),
  ])
  if (first === 'client') await session.drain(stop)
  await session.close()
  if (first === 'server') note('the server has exited')
  return first === 'server' ? 1 : 0
}

/** Serves MCP over HTTP on this machine until a stop is requested. */
export async function runHttpGuard(options: RunOptions, port: number): Promise<ExitCode> {
  const { note, stop } = options
  const server = await serveSessions({
    port,
    start: (client) => startGuardSession(options, { client, session: sessionOf(options) }),
    note,
  })
  introduce(options)
  note(`MCP at ${server.url}. Stop with Ctrl-C.`)
  await stopped(stop)
  await server.close()
  return 0
}

function introduce({ agent, name, note }: RunOptions): void {
  note(`agent ${agent}, policies see the tools as ${mcpToolName(name, '*')}`)
}

function sessionOf({ session }: RunOptions): string {
  return session ?? `guard-${randomUUID()}`
}

function programOf({ target }: RunOptions): string {
  return target.kind === 'command' ? (target.command[0] ?? '') : target.url.origin
}

async function stopped(stop: AbortSignal): Promise<void> {
  if (!stop.aborted) await once(stop, 'abort')
}
