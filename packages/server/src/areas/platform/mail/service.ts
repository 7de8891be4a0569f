import { MINUTE_MS } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import type { Jobs, RetryPlan } from '../../../kernel/jobs.ts'
import type { SecretBox } from '../../../kernel/secrets.ts'
import type { Mail, MailTransport } from './mail-client.ts'

export type MailService = {
  /** In the causing transaction: committed, it will be sent; rolled back, never. */
  queue(tx: Db, mail: Mail): Promise<void>
}

const JOB = 'mail.send'

/** 04 §7.1: five tries within an hour. */
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
      const mail: Mail = JSON.parse(deps.secrets.open(String(payload), JOB))
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
  // Mails carry tokens, so they wait sealed.
  return {
    queue: (tx, mail) => deps.jobs.enqueue(tx, JOB, deps.secrets.seal(JSON.stringify(mail), JOB)),
  }
}
