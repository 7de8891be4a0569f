import { type AddressInfo, connect, type Socket } from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { eventually } from '#harness/eventually.ts'
import { onFileFinished } from '#harness/on-file-finished.ts'
import { type Service, startSharedService } from '#harness/process.ts'
import { openStream } from '#harness/stream.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'

/**
 * Connections that do nothing cost memory for as long as they stay. One address used to hold as many
 * as the process had file descriptors for, and a reader that stopped reading its stream kept the
 * socket and everything written to it after the stream had ended.
 */
const PER_ADDRESS = 20
const TRIED = 60

let service: Service

beforeAll(async () => {
  service = await startSharedService({
    DATA_DIR: await temporaryDir(),
    CONNECTIONS_PER_ADDRESS: String(PER_ADDRESS),
  })
})

function hold(): { socket: Socket; isOpen(): boolean } {
  let isOpen = true
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
  socket.on('error', () => undefined)
  socket.on('close', () => {
    isOpen = false
  })
  onFileFinished(() => void socket.destroy())
  return { socket, isOpen: () => isOpen }
}

describe('an address that opens many connections', () => {
  it('keeps its share, and the service answers again once it lets go', async () => {
    const held = Array.from({ length: TRIED }, hold)
    for (const { socket } of held) socket.write('GET /health/live HTTP/1.1\r\n')
    await eventually(() =>
      expect(held.filter(({ isOpen }) => isOpen()).length).toBeLessThanOrEqual(PER_ADDRESS),
    )
    for (const { socket } of held) socket.destroy()
    await eventually(async () => {
      expect((await fetch(`${service.url}/health/live`)).status).toBe(200)
    })
  })
})

describe('a reader that stops reading its stream', () => {
  it('loses its connection, though it never reads that the stream has ended', async () => {
    const t = await testApp()
    await t.app.server.listen({ host: '127.0.0.1', port: 0 })
    const { port } = t.app.server.server.address() as AddressInfo
    const url = `http://127.0.0.1:${port}/v1/orgs/${t.first.org_id}/stream`
    const slow = await openStream(url, t.first.api_key)
    await slow.waitFor('open')
    slow.pause()
    expect(await connectionsOf(t)).toBe(1)
    // Until the buffers of the two sockets and of the stream are full, and a little longer.
    while ((await connectionsOf(t)) > 0) await emit(t, 200)
    expect(slow.hasEnded()).toBe(false)
  })
})

function connectionsOf(t: TestApp): Promise<number> {
  return new Promise((resolve, reject) => {
    t.app.server.server.getConnections((err, count) => (err ? reject(err) : resolve(count)))
  })
}

async function emit({ app: { kernel }, first }: TestApp, count: number): Promise<void> {
  const event = {
    orgId: first.org_id,
    accountId: 'ba',
    type: 'team.archived' as const,
    data: { team_id: 'x'.repeat(2000), org_id: '', name: '' },
  }
  const events = Array.from({ length: count }, () => event)
  await kernel.db.transaction().execute((tx) => kernel.events.emitAll(tx, events))
}
