import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { onFileFinished } from '#harness/on-file-finished.ts'
import { createUpstreamClient, faultOf } from './upstream-client.ts'

const SILENT_MS_MAX = 100

async function serverThat(sends: string | undefined): Promise<string> {
  const server = createServer((_req, res) => {
    if (sends !== undefined) res.write(sends)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onFileFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const client = createUpstreamClient({ silentMsMax: SILENT_MS_MAX })
onFileFinished(client.close)

const ask = (origin: string) =>
  client.send({
    origin,
    path: '/v1/messages',
    method: 'POST',
    headers: {},
    body: null,
    signal: new AbortController().signal,
  })

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (err: unknown) => err,
  )

describe('a provider that hangs', () => {
  it('is a timeout before its answer', async () => {
    expect(faultOf(await failureOf(ask(await serverThat(undefined))))).toBe('timeout')
  })

  it('is a timeout in the middle of its answer', async () => {
    const { body } = await ask(await serverThat('data: 1'))
    expect(faultOf(await failureOf(body.toArray()))).toBe('timeout')
  })
})

describe('a provider that is away', () => {
  it('is unreachable', async () => {
    expect(faultOf(await failureOf(ask('http://127.0.0.1:1')))).toBe('unreachable')
  })
})
