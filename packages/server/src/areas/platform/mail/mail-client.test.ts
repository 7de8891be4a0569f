import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { testClock } from '#harness/clock.ts'
import { createMailTransport } from './mail-client.ts'

const MAIL = { kind: 'invitation', to: 'ada@example.com', subject: 'Grüße', text: 'Token: tsi_x\n' }
const clock = testClock()

async function outbox(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'touchstone-mail-'))
  afterAll(() => rm(dir, { recursive: true, force: true }))
  return join(dir, 'outbox')
}

/** An SMTP server that accepts every message and records what clients send. */
async function smtpServer() {
  const received: string[] = []
  const server = createServer((socket) => {
    let inData = false
    socket.write('220 test ESMTP\r\n')
    socket.on('data', (chunk) => {
      const text = String(chunk)
      received.push(text)
      if (inData) {
        if (!text.endsWith('\r\n.\r\n')) return
        inData = false
        socket.write('250 accepted\r\n')
      } else if (text.startsWith('DATA')) {
        inData = true
        socket.write('354 go on\r\n')
      } else if (text.startsWith('QUIT')) socket.end('221 bye\r\n')
      else socket.write('250 ok\r\n')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => void server.close())
  return { url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`, received }
}

describe('the mail transport', () => {
  it('writes complete messages to files that only their owner can read', async () => {
    const outboxDir = await outbox()
    const settings = { transport: 'file', smtpUrl: undefined, from: 'T <t@x>', outboxDir } as const
    await createMailTransport(settings, clock)(MAIL)
    const [name = ''] = await readdir(outboxDir)
    expect(name).toMatch(/^2026-03-01T12-00-00\.000Z-invitation-[0-9a-f]{8}\.eml$/)
    const text = await readFile(join(outboxDir, name), 'utf8')
    expect(text).toContain('To: ada@example.com')
    expect(text).toContain('From: T <t@x>')
    expect(text).toContain('Token: tsi_x')
    expect((await stat(join(outboxDir, name))).mode & 0o777).toBe(0o600)
  })

  it('sends messages to an SMTP server', async () => {
    const { url, received } = await smtpServer()
    const settings = { transport: 'smtp', smtpUrl: url, from: 't@x', outboxDir: '' } as const
    await createMailTransport(settings, clock)(MAIL)
    const all = received.join('')
    expect(all).toContain('RCPT TO:<ada@example.com>')
    expect(all).toContain('Token: tsi_x')
  })

  it('fails, so that the job is retried, when the SMTP server is unreachable', async () => {
    const settings = {
      transport: 'smtp',
      smtpUrl: 'smtp://127.0.0.1:1',
      from: 't@x',
      outboxDir: '',
    } as const
    await expect(createMailTransport(settings, clock)(MAIL)).rejects.toThrow()
  })

  it('does not let a line break in the subject inject a header', async () => {
    const outboxDir = await outbox()
    const settings = { transport: 'file', smtpUrl: undefined, from: 't@x', outboxDir } as const
    const subject = 'Hello\r\nBcc: everybody@example.com'
    await createMailTransport(settings, clock)({ ...MAIL, subject })
    const [name = ''] = await readdir(outboxDir)
    expect(await readFile(join(outboxDir, name), 'utf8')).not.toMatch(/^Bcc:/m)
  })
})
