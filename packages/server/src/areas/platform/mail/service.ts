import { isJsonObject } from '@touchstone/protocol/base'
import { MINUTE_MS } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import type { Jobs, RetryPlan } from '../../../kernel/jobs.ts'
import type { SecretBox } from '../../../kernel/secrets.ts'
import type { Mail, MailTransport } from './mail-client.ts'

export type MailService = {
  /** Enqueues in the caller's transaction: sent after commit, never after a rollback. */
  queue(tx: Db, mail: Mail): Promise<void>
}

const JOB = 'mail.send'

/** Five attempts within an hour (spec: platform §6.1). */
const DELAY_MINUTES = [1, 5, 15, 38]
export const MAIL_RETRY: RetryPlan = {
  attemptsMax: 5,
  delayMs: (attempt) => (DELAY_MINUTES[attempt - 1] ?? 60) * MINUTE_MS,
}

export function createMailService(deps: {
  jobs: Jobs
  secrets: SecretBox
  transport: MailTransport
  onOutcome(kind: string, outcome: 'sent' | 'failed'): void
}): MailService {
  deps.jobs.handle(
    JOB,
    async (payload) => {
      const mail = parseMail(deps.secrets, payload)
      try {
        await deps.transport(mail)
        deps.onOutcome(mail.kind, 'sent')
      } catch (err) {
        deps.onOutcome(mail.kind, 'failed')
        throw err
      }
    },
    MAIL_RETRY,
  )
  return {
    // Mails carry tokens, so the queued payload is encrypted.
    queue: (tx, mail) => deps.jobs.enqueue(tx, JOB, deps.secrets.seal(JSON.stringify(mail), JOB)),
  }
}

function parseMail(secrets: SecretBox, payload: unknown): Mail {
  if (typeof payload !== 'string') throw new Error(`${JOB}: the payload is not a sealed string`)
  const fields: unknown = JSON.parse(secrets.open(payload, JOB))
  if (!isJsonObject(fields)) throw new Error(`${JOB}: the payload is not an object`)
  const { kind, to, subject, text } = fields
  if (
    typeof kind !== 'string' ||
    typeof to !== 'string' ||
    typeof subject !== 'string' ||
    typeof text !== 'string'
  ) {
    throw new Error(`${JOB}: kind, to, subject and text must be strings`)
  }
  return { kind, to, subject, text }
}
