import { isJsonObject } from '@touchstone/protocol/base'
import { type Db, transact } from '../../../kernel/db.ts'
import type { Jobs } from '../../../kernel/jobs.ts'
import { DISABLED_JOB } from './dispatch-service.ts'
import { CATCH_UP_JOB } from './endpoint-service.ts'
import { type Cursor, type createLog, REPLAY_JOB } from './log-service.ts'
import type { Mailer, Orgs } from './ports.ts'

type Payload = Readonly<Record<string, unknown>>

export type WebhookJobDeps = { db: Db; jobs: Jobs; orgs: Orgs; mailer: Mailer }

export function handleWebhookJobs(deps: WebhookJobDeps, log: ReturnType<typeof createLog>): void {
  deps.jobs.handle(CATCH_UP_JOB, (payload) => log.catchUp(parseStart(CATCH_UP_JOB, payload)))
  deps.jobs.handle(REPLAY_JOB, (payload) => {
    const fields = parseObject(REPLAY_JOB, payload)
    const { event_types: eventTypes, after } = fields
    const replay = {
      ...parseStart(REPLAY_JOB, fields),
      replayId: parseString(REPLAY_JOB, fields, 'replay_id'),
      until: parseDate(REPLAY_JOB, fields, 'until'),
      eventTypes: Array.isArray(eventTypes) ? eventTypes.map(String) : undefined,
    }
    return log.replay(replay, after === null ? undefined : parseCursor(after))
  })
  deps.jobs.handle(DISABLED_JOB, (payload) => mailOwners(deps, parseDisabled(payload)))
}

/**
 * Runs in a job, not in the transaction that disables the endpoint: another feature knows the
 * owners.
 */
async function mailOwners(
  deps: WebhookJobDeps,
  disabled: { orgId: string; endpointId: string; url: string },
): Promise<void> {
  const org = await deps.orgs.contacts(disabled.orgId)
  if (org === undefined) return
  const subject = `A webhook endpoint of ${org.name} was disabled`
  const text = [
    `The webhook endpoint ${disabled.endpointId} (${disabled.url}) of "${org.name}" was disabled after 100 consecutive delivery failures.`,
    'Its pending deliveries have failed; for 30 days you can send them again from the delivery log or with a replay.',
    'To receive events again, repair the receiver and set is_active to true.',
  ].join('\n\n')
  await transact(deps.db, async (tx) => {
    for (const to of org.emails) {
      await deps.mailer.queue(tx, { kind: 'webhook_disabled', to, subject, text })
    }
  })
}

function parseDisabled(payload: unknown) {
  const fields = parseObject(DISABLED_JOB, payload)
  return {
    orgId: parseString(DISABLED_JOB, fields, 'org_id'),
    endpointId: parseString(DISABLED_JOB, fields, 'endpoint_id'),
    url: parseString(DISABLED_JOB, fields, 'url'),
  }
}

/** The endpoint and the time from which it gets events. */
function parseStart(job: string, payload: unknown) {
  const fields = parseObject(job, payload)
  return {
    orgId: parseString(job, fields, 'org_id'),
    endpointId: parseString(job, fields, 'endpoint_id'),
    since: parseDate(job, fields, 'since'),
  }
}

function parseCursor(after: unknown): Cursor {
  const fields = parseObject(REPLAY_JOB, after)
  return {
    id: parseString(REPLAY_JOB, fields, 'id'),
    createdAt: parseDate(REPLAY_JOB, fields, 'created_at'),
  }
}

function parseObject(job: string, value: unknown): Payload {
  if (isJsonObject(value)) return value
  throw new Error(`${job}: the payload is not an object`)
}

function parseString(job: string, fields: Payload, name: string): string {
  const value = fields[name]
  if (typeof value === 'string') return value
  throw new Error(`${job}: ${name} must be a string`)
}

function parseDate(job: string, fields: Payload, name: string): Date {
  const date = new Date(parseString(job, fields, name))
  if (!Number.isNaN(date.getTime())) return date
  throw new Error(`${job}: ${name} must be a time`)
}
