import { connect, type Socket } from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '#harness/eventually.ts'
import { onFileFinished } from '#harness/on-file-finished.ts'
import { type Service, startSharedService } from '#harness/process.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'

/**
 * Connections that do nothing cost memory for as long as they stay. One address used to hold as many
 * as the process had file descriptors for.
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
