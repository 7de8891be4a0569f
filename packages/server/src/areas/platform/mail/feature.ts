import type { Clock } from '../../../kernel/clock.ts'
import type { Jobs } from '../../../kernel/jobs.ts'
import type { SecretBox } from '../../../kernel/secrets.ts'
import { createMailTransport, type MailSettings } from './mail-client.ts'
import { createMailService } from './service.ts'

export function createMailFeature(deps: {
  jobs: Jobs
  secrets: SecretBox
  clock: Clock
  settings: MailSettings
  onOutcome(kind: string, outcome: 'sent' | 'failed'): void
}) {
  const transport = createMailTransport(deps.settings, deps.clock)
  const { jobs, secrets, onOutcome } = deps
  return { service: createMailService({ jobs, secrets, transport, onOutcome }) }
}
