import { type Db, transact } from '../../../kernel/db.ts'
import type { Jobs } from '../../../kernel/jobs.ts'
import { DISABLED_JOB } from './dispatch-service.ts'
import { CATCH_UP_JOB } from './endpoint-service.ts'
import { type createLog, type Place, REPLAY_JOB } from './log-service.ts'
import type { Mailer, Orgs } from './ports.ts'

type Payload = Readonly<Record<string, unknown>>

export type WebhookJobDeps = { db: Db; jobs: Jobs; orgs: Orgs; mailer: Mailer }

export function handleWebhookJobs(deps: WebhookJobDeps, log: ReturnType<typeof createLog>): void {
  deps.jobs.handle(CATCH_UP_JOB, (payload) => log.catchUp(readSeat(payload)))
  deps.jobs.handle(REPLAY_JOB, (payload) => {
    const { replay_id, until, event_types, after } = fieldsOf(payload)
    const replay = {
      ...readSeat(payload),
      replayId: String(replay_id),
      until: new Date(String(until)),
      eventTypes: Array.isArray(event_types) ? event_types.map(String) : undefined,
    }
    return log.replay(replay, readPlace(after))
  })
  deps.jobs.handle(DISABLED_JOB, (payload) => tellOwners(deps, fieldsOf(payload)))
}

/** Here and not where it was disabled, because who owns the organisation is another's to say. */
async function tellOwners(deps: WebhookJobDeps, about: Payload): Promise<void> {
  const org = await deps.orgs.contacts(String(about['org_id']))
  if (org === undefined) return
  const subject = `A webhook endpoint of ${org.name} was disabled`
  const text = [
    `The webhook endpoint ${about['endpoint_id']} (${about['url']}) of "${org.name}" was disabled after 100 deliveries in a row had failed.`,
    'Deliveries that waited for it were given up; they can be sent again from the delivery log or with a replay for 30 days.',
    'To hear of events again, repair the receiver and set is_active to true.',
  ].join('\n\n')
  await transact(deps.db, async (tx) => {
    for (const to of org.emails) {
      await deps.mailer.queue(tx, { kind: 'webhook_disabled', to, subject, text })
    }
  })
}

function readSeat(payload: unknown) {
  const { org_id, endpoint_id, since } = fieldsOf(payload)
  return {
    orgId: String(org_id),
    endpointId: String(endpoint_id),
    since: new Date(String(since)),
  }
}

/** Nothing at the beginning of a replay. */
function readPlace(after: unknown): Place | undefined {
  const { id, created_at } = fieldsOf(after)
  if (id === undefined) return undefined
  return { id: String(id), createdAt: new Date(String(created_at)) }
}

function fieldsOf(payload: unknown): Payload {
  return typeof payload === 'object' && payload !== null ? { ...payload } : {}
}
