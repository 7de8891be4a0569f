import { type Actor, type Audit, changesBetween, SYSTEM_ACTOR } from '../../../audit.ts'
import { type Clock, HOUR_MS, later } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { newId, type OrgId } from '../../../kernel/ids.ts'
import type { Jobs } from '../../../kernel/jobs.ts'
import { assertPrecondition, type Precondition, Problem } from '../../../kernel/problem.ts'
import { createDeliveryStore } from './delivery-store.ts'
import {
  changed,
  DISABLED_WITH_ORG,
  disabled,
  ENDPOINTS_MAX,
  type Endpoint,
  type EndpointChange,
  UNSENT,
} from './endpoint.ts'
import { CATCH_UP_MS, type FanOut } from './fan-out-service.ts'
import type { Outbound } from './ports.ts'
import type { Secrets } from './secret-service.ts'
import { createEndpointStore } from './store.ts'

export const CATCH_UP_JOB = 'webhooks.catch_up'

export type EndpointDeps = {
  db: Db
  clock: Clock
  audit: Audit
  jobs: Jobs
  outbound: Outbound
  secrets: Secrets
  fanOut: FanOut
}

export type NewEndpoint = {
  url: string
  description: string | null
  eventTypes: readonly string[]
}

type Named = { orgId: string; endpointId: string; actor: Actor; precondition?: Precondition }

export function createEndpoints(deps: EndpointDeps) {
  const store = createEndpointStore(deps.db)
  const changes = createChangeMethods(deps)
  const lifecycle = createLifecycleMethods(deps)
  return {
    update: changes.update,
    rotate: changes.rotate,
    delete: changes.delete,
    close: lifecycle.close,
    reopen: lifecycle.reopen,
    erase: lifecycle.erase,

    async create(
      org: { orgId: string; accountId: string },
      fields: NewEndpoint,
      actor: Actor,
    ): Promise<{ endpoint: Endpoint; secret: string }> {
      await deps.outbound.assertAllowed(fields.url)
      const endpointId = newId('whe')
      const secret = deps.secrets.create()
      const endpoint = await transact(deps.db, async (tx) => {
        const endpoints = createEndpointStore(tx)
        await endpoints.lockOrg(org.orgId)
        if ((await endpoints.count(org.orgId)) >= ENDPOINTS_MAX) {
          throw new Problem(
            'limit_reached',
            `An organisation can have at most ${ENDPOINTS_MAX} endpoints. Delete one first.`,
          )
        }
        const created = newEndpoint({ ...org, ...fields, endpointId }, deps.clock.now())
        await endpoints.insert(created, deps.secrets.seal(endpointId, secret))
        await record(deps, tx, created, { action: 'webhook.created', actor })
        await subscribe(deps, tx, created)
        return created
      })
      deps.fanOut.evict(org.orgId)
      return { endpoint, secret }
    },

    list: (orgId: string): Promise<Endpoint[]> => store.list(orgId),

    async get(orgId: string, endpointId: string): Promise<Endpoint> {
      const endpoint = await store.find(orgId, endpointId)
      if (endpoint === undefined) throw noEndpoint()
      return endpoint
    },
  }
}

function newEndpoint(
  fields: NewEndpoint & { endpointId: string; orgId: string; accountId: string },
  now: Date,
): Endpoint {
  return {
    ...fields,
    isActive: true,
    // The route's guard has just checked the plan.
    isEntitled: true,
    consecutiveFailures: 0,
    disabledAt: null,
    disabledReason: null,
    version: 1,
    createdAt: now,
    updatedAt: now,
  }
}

function createChangeMethods(deps: EndpointDeps) {
  return {
    async update(named: Named, change: EndpointChange): Promise<Endpoint> {
      if (change.url !== undefined) await deps.outbound.assertAllowed(change.url)
      const after = await transact(deps.db, async (tx) => {
        const before = await lock(tx, named)
        const now = deps.clock.now()
        const next = changed(before, change, now)
        const changes = changesBetween(toAuditFields(before), toAuditFields(next))
        if (Object.keys(changes).length === 0) return before
        await createEndpointStore(tx).save(next)
        await record(deps, tx, next, {
          action: actionOf(before, next),
          actor: named.actor,
          changes,
        })
        if (!next.isActive) await createDeliveryStore(tx).abandon(next.endpointId, UNSENT, now)
        await subscribe(deps, tx, next)
        return next
      })
      deps.fanOut.evict(named.orgId)
      return after
    },

    /** During the overlap, requests are signed with both secrets (spec: platform §5.1). */
    async rotate(named: Named, overlapHours: number): Promise<string> {
      const secret = deps.secrets.create()
      const { endpointId, actor } = named
      await transact(deps.db, async (tx) => {
        const endpoints = createEndpointStore(tx)
        const before = await lock(tx, named)
        const current = await endpoints.secretsOf(endpointId)
        const now = deps.clock.now()
        const overlaps = overlapHours > 0 && current !== undefined
        await endpoints.saveSecrets(endpointId, {
          secretSealed: deps.secrets.seal(endpointId, secret),
          previousSecretSealed: overlaps ? current.secretSealed : null,
          previousSecretUntil: overlaps ? later(now, overlapHours * HOUR_MS) : null,
        })
        await endpoints.save({ ...before, version: before.version + 1, updatedAt: now })
        const changes = { overlap_hours: { from: null, to: overlapHours } }
        await record(deps, tx, before, { action: 'webhook.secret_rotated', actor, changes })
      })
      return secret
    },

    /** Also deletes its deliveries. */
    async delete(named: Named): Promise<void> {
      await transact(deps.db, async (tx) => {
        const endpoint = await lock(tx, named)
        await createEndpointStore(tx).delete(endpoint.endpointId)
        await createDeliveryStore(tx).deleteOfEndpoint(named.orgId, endpoint.endpointId)
        await record(deps, tx, endpoint, { action: 'webhook.deleted', actor: named.actor })
        await deps.fanOut.changed(tx, named.orgId)
      })
    },
  }
}

/** Endpoints are disabled while their organisation is deleted (spec: platform §6.4). */
function createLifecycleMethods(deps: EndpointDeps) {
  return {
    async close(tx: Db, orgId: OrgId): Promise<void> {
      const now = deps.clock.now()
      for (const endpoint of await createEndpointStore(tx).lockAllOf(orgId)) {
        if (!endpoint.isActive) continue
        await createEndpointStore(tx).save(disabled(endpoint, DISABLED_WITH_ORG, now))
        await createDeliveryStore(tx).abandon(endpoint.endpointId, UNSENT, now)
      }
      await deps.fanOut.changed(tx, orgId)
    },

    async reopen(tx: Db, orgId: OrgId): Promise<void> {
      const now = deps.clock.now()
      for (const endpoint of await createEndpointStore(tx).lockAllOf(orgId)) {
        if (endpoint.disabledReason !== DISABLED_WITH_ORG) continue
        const open = changed(endpoint, { isActive: true }, now)
        await createEndpointStore(tx).save(open)
        await subscribe(deps, tx, open)
      }
    },

    async erase(tx: Db, orgId: OrgId): Promise<void> {
      await createEndpointStore(tx).deleteOfOrg(orgId)
      await createDeliveryStore(tx).deleteOfOrg(orgId)
    },
  }
}

/** Call in the transaction that counted the last failure. */
export async function disableForFailures(
  deps: Pick<EndpointDeps, 'audit' | 'clock' | 'fanOut'>,
  tx: Db,
  { endpoint, reason }: { endpoint: Endpoint; reason: string },
): Promise<void> {
  const now = deps.clock.now()
  const off = disabled(endpoint, reason, now)
  await createEndpointStore(tx).save(off)
  await createDeliveryStore(tx).abandon(endpoint.endpointId, UNSENT, now)
  const changes = changesBetween(toAuditFields(endpoint), toAuditFields(off))
  await record(deps, tx, off, { action: 'webhook.disabled', actor: SYSTEM_ACTOR, changes })
  await deps.fanOut.changed(tx, endpoint.orgId)
}

async function lock(tx: Db, named: Named): Promise<Endpoint> {
  const endpoint = await createEndpointStore(tx).lock(named.orgId, named.endpointId)
  if (endpoint === undefined) throw noEndpoint()
  if (named.precondition !== undefined) assertPrecondition(named.precondition, endpoint.version)
  return endpoint
}

/**
 * Invalidates the other nodes' caches, so that the endpoint gets events from now on. Events that a
 * node misses before its cache is invalidated are delivered by the catch-up job.
 */
async function subscribe(deps: EndpointDeps, tx: Db, endpoint: Endpoint): Promise<void> {
  await deps.fanOut.changed(tx, endpoint.orgId)
  if (!endpoint.isActive) return
  const { orgId, endpointId } = endpoint
  const since = endpoint.updatedAt
  const payload = { org_id: orgId, endpoint_id: endpointId, since: since.toISOString() }
  await deps.jobs.enqueue(tx, CATCH_UP_JOB, payload, later(since, CATCH_UP_MS))
}

function actionOf(before: Endpoint, after: Endpoint): string {
  if (before.isActive === after.isActive) return 'webhook.updated'
  return after.isActive ? 'webhook.enabled' : 'webhook.disabled'
}

/** The fields whose changes the audit log records. */
function toAuditFields(endpoint: Endpoint): Record<string, unknown> {
  return {
    url: endpoint.url,
    description: endpoint.description,
    event_types: endpoint.eventTypes.join(' '),
    is_active: endpoint.isActive,
    disabled_reason: endpoint.disabledReason,
  }
}

async function record(
  deps: Pick<EndpointDeps, 'audit'>,
  tx: Db,
  endpoint: Endpoint,
  entry: { action: string; actor: Actor; changes?: ReturnType<typeof changesBetween> },
): Promise<void> {
  const target = { type: 'webhook', id: endpoint.endpointId }
  await deps.audit.record(tx, { orgId: endpoint.orgId, target, ...entry })
}

export function noEndpoint(): Problem {
  return new Problem('not_found', 'No such webhook endpoint.')
}
