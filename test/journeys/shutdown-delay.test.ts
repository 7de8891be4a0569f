import { expect, it } from 'vitest'
import { startService } from '#harness/process.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'

it('SHUTDOWN_DELAY fails the readiness check first, and still answers requests', async () => {
  const service = await startService({ DATA_DIR: await temporaryDir(), SHUTDOWN_DELAY: '3' })
  const ended = service.end('SIGTERM')
  const ready = () => service.call('GET', '/health/ready')
  await expect.poll(async () => (await ready()).status).toBe(503)
  expect((await ready()).body).toMatchObject({
    status: 'unavailable',
    reason: 'The service is stopping.',
  })
  expect((await service.call('GET', '/v1/plans')).status).toBe(200)
  expect(await ended).toBe(0)
})
