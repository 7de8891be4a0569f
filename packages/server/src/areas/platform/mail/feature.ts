import type { Clock } from '../../../kernel/clock.ts'
import type { Jobs } from '../../../kernel/jobs.ts'
import { createMailTransport, type MailSettings } from './mail-client.ts'
import { createMailService } from './service.ts'

export function createMailFeature(deps: {
  jobs: Jobs
  clock: Clock
  settings: MailSettings
  onOutcome(kind: string, outcome: 'sent' | 'failed'): void
}) {
  const transport = createMailTransport(deps.settings, deps.clock)
  const { jobs, onOutcome } = deps
  return { service: createMailService({ jobs, transport, onOutcome }) }
}
