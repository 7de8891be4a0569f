import { randomBytes } from 'node:crypto'
import { testClock } from '#harness/clock.ts'
import { testDatabase, testNotices } from '#harness/database.ts'
import { TEST_AUTHORITY } from '#harness/receiver.ts'
import { SYSTEM_ACTOR } from '../../../audit.ts'
import { createEgress, EgressError, type EgressOptions } from '../../../egress/egress.ts'
import { transact } from '../../../kernel/db.ts'
import { createEvents, type NewEvent } from '../../../kernel/events.ts'
import { createJobs } from '../../../kernel/jobs.ts'
import { createSecretBox } from '../../../kernel/secrets.ts'
import type { Outbound } from './ports.ts'
import { createWebhookService } from './service.ts'

export const ORG = { orgId: 'org-1', accountId: 'ba-1' }

const event = (alertId: string, org = ORG): NewEvent => ({
  ...org,
  type: 'drift.resolved',
  data: {
    alert_id: alertId,
    agent_id: 'agent-1',
    org_id: ORG.orgId,
    resolution: 'recovered',
    acknowledged_by: null,
  },
})

/** Outbound requests as compose/ connects them. */
function outboundOf(options: Partial<EgressOptions>): Outbound {
  const egress = createEgress({
    allowLoopback: true,
    allowCidrs: [],
    ca: TEST_AUTHORITY,
    resolve: async () => ['127.0.0.1'],
    ...options,
  })
  return {
    assertAllowed: async (url) => void (await egress.assertAllowed(url)),
    async post(call) {
      try {
        const { status, headers } = await egress.request({
          ...call,
          method: 'POST',
          keepAlive: true,
        })
        return { status, retryAfter: headers['retry-after']?.toString() }
      } catch (err) {
        if (err instanceof EgressError) return { error: err.message }
        throw err
      }
    },
  }
}

/** The feature on a new database, with any number of workers. */
export async function webhooksOn(egress: Partial<EgressOptions> = {}) {
  const database = await testDatabase()
  const { db } = database
  const clock = testClock()
  const notices = await testNotices(database)
  const jobs = createJobs({ db, clock, notices, node: 'a', onError: () => undefined })
  const events = createEvents({ db, clock, onEmit: () => undefined })
  const errors: unknown[] = []
  const node = (outbound: Outbound = outboundOf(egress)) =>
    createWebhookService({
      db,
      clock,
      notices,
      jobs,
      events,
      outbound,
      secrets: createSecretBox(SECRET_KEY),
      audit: { record: async () => undefined },
      signer: async () => ({ signOnWorker: async () => Buffer.alloc(64) }),
      plans: { includesWebhooks: () => true },
      messages: { render: async () => undefined },
      random: () => 0.5,
      elapsedMs: () => performance.now(),
      onAttempt: () => undefined,
      onOutcome: () => undefined,
      onError: (err) => void errors.push(err),
    })
  const { service, worker } = node()
  const create = async (url: string, org = ORG) => {
    const fields = { url, eventTypes: [], description: null }
    return (await service.create(org, fields, SYSTEM_ACTOR)).endpoint
  }
  const page = { page: 1, perPage: 1000 }
  const filter = { status: undefined, eventType: undefined }
  return {
    db,
    clock,
    service,
    worker,
    node,
    errors,
    create,
    emit: (...alerts: string[]) =>
      transact(db, (tx) =>
        events.emitAll(
          tx,
          alerts.map((alertId) => event(alertId)),
        ),
      ),
    emitTo: (org: typeof ORG, ...alerts: string[]) =>
      transact(db, (tx) =>
        events.emitAll(
          tx,
          alerts.map((alertId) => event(alertId, org)),
        ),
      ),
    /** Newest first. */
    log: async (endpointId?: string) =>
      (await service.deliveries({ orgId: ORG.orgId, endpointId, ...filter }, page)).items,
  }
}

const SECRET_KEY = randomBytes(32)
