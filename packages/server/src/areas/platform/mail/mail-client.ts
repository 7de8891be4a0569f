import { randomUUID } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import type { Clock } from '../../../kernel/clock.ts'

/** Plain text only (spec: platform §6.1). */
export type Mail = { kind: string; to: string; subject: string; text: string }

export type MailTransport = (mail: Mail) => Promise<void>

export type MailSettings = {
  transport: 'file' | 'console' | 'smtp'
  smtpUrl: string | undefined
  from: string
  outboxDir: string
}

const SMTP_TIMEOUT_MS = 20_000

export function createMailTransport(settings: MailSettings, clock: Clock): MailTransport {
  switch (settings.transport) {
    case 'file':
      return createFileTransport(settings, clock)
    case 'console':
      return async (mail) => {
        process.stdout.write(`--- e-mail to ${mail.to}: ${mail.subject}\n${mail.text}\n---\n`)
      }
    case 'smtp':
      return createSmtpTransport(settings)
  }
}

/**
 * Writes to a `.part` file and renames it, so that a watcher of the folder never reads half a
 * message.
 */
function createFileTransport(settings: MailSettings, clock: Clock): MailTransport {
  const compose = createTransport({ streamTransport: true, buffer: true, newline: 'unix' })
  return async (mail) => {
    const date = clock.now()
    const { message } = await compose.sendMail({ ...envelope(settings, mail), date })
    await mkdir(settings.outboxDir, { recursive: true, mode: 0o700 })
    const name = `${date.toISOString().replaceAll(':', '-')}-${mail.kind}-${randomUUID().slice(0, 8)}`
    const file = join(settings.outboxDir, `${name}.eml`)
    await writeFile(`${file}.part`, message, { mode: 0o600 })
    await rename(`${file}.part`, file)
  }
}

function createSmtpTransport(settings: MailSettings): MailTransport {
  const smtp = createTransport({
    url: settings.smtpUrl ?? '',
    connectionTimeout: SMTP_TIMEOUT_MS,
    greetingTimeout: SMTP_TIMEOUT_MS,
    socketTimeout: SMTP_TIMEOUT_MS,
  })
  return async (mail) => {
    await smtp.sendMail(envelope(settings, mail))
  }
}

function envelope(settings: MailSettings, mail: Mail) {
  return { from: settings.from, to: mail.to, subject: mail.subject, text: mail.text }
}
