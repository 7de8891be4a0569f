import { bytesToHex, hexToBytes } from '@touchstone/protocol/base'
import { type Clock, later, MINUTE_MS, SECOND_MS } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import type { Jobs } from '../../../kernel/jobs.ts'
import type { Schedule } from '../../../kernel/lifecycle.ts'
import { START, type Walk } from './chain-walk.ts'
import type { AuditService } from './service.ts'
import type { FullAudit } from './store.ts'

const NEXT_STEP = 'chain_audit.step'

/** A step occupies a worker and cannot be interrupted. */
const STEP_MS = 2 * SECOND_MS
/** Three times the interval between runs, so under load up to three runs share the work. */
const RUN_MS_MAX = 15 * MINUTE_MS

const EVERY_FIVE_MINUTES = '*/5 * * * *'

export function auditSchedules(run: () => Promise<void>): readonly Schedule[] {
  return [{ name: 'chain audit', cron: EVERY_FIVE_MINUTES, run }]
}

/** A scheduled run, which continues in job steps until no chain is due. */
export function createAuditRun(deps: {
  db: Db
  clock: Clock
  jobs: Jobs
  service: AuditService
}): () => Promise<void> {
  const { db, clock, jobs, service } = deps
  const step = async (runEndsAt: Date): Promise<void> => {
    const more = await service.auditDue(later(clock.now(), STEP_MS))
    if (!more || clock.now() >= runEndsAt) return
    await transact(db, (tx) => jobs.enqueue(tx, NEXT_STEP, { run_ends_at: runEndsAt }))
  }
  jobs.handle(NEXT_STEP, (payload) => step(runEndsAtOf(payload)))
  return async () => {
    await service.enrol()
    await step(later(clock.now(), RUN_MS_MAX))
  }
}

const FULL_STEP = 'chain_audit.full'

/** Walks a whole chain on request, in job steps. */
export function createFullAudit(deps: {
  db: Db
  clock: Clock
  jobs: Jobs
  service: AuditService
}): (agentId: string) => Promise<FullAudit> {
  const { db, clock, jobs, service } = deps
  jobs.handle(FULL_STEP, async (payload) => {
    const { agentId, walk } = stepOf(payload)
    const next = await service.continueFull(agentId, walk, later(clock.now(), STEP_MS))
    if (next === undefined) return
    await transact(db, (tx) => jobs.enqueue(tx, FULL_STEP, payloadOf(agentId, next)))
  })
  return async (agentId) => {
    await transact(db, async (tx) => {
      if (!(await service.requestFull(tx, agentId))) return
      await jobs.enqueue(tx, FULL_STEP, payloadOf(agentId, START))
    })
    const { full } = await service.status(agentId)
    if (full === null) throw new Error('a full walk that was requested is not recorded')
    return full
  }
}

function payloadOf(agentId: string, { position, chainHash, leafCount, edge }: Walk) {
  return {
    agent_id: agentId,
    position,
    chain_hash: chainHash,
    leaf_count: leafCount,
    edge: edge.map(bytesToHex),
  }
}

function stepOf(payload: unknown): { agentId: string; walk: Walk } {
  const step = new Map(Object.entries(Object(payload)))
  const [position, leafCount] = [step.get('position'), step.get('leaf_count')]
  const [chainHash, edge] = [step.get('chain_hash'), step.get('edge')]
  if (typeof position !== 'number' || typeof leafCount !== 'number' || !Array.isArray(edge)) {
    throw new Error(`${FULL_STEP}: position, leaf_count and edge must be the progress of a walk`)
  }
  return {
    agentId: String(step.get('agent_id')),
    walk: {
      position,
      chainHash: typeof chainHash === 'string' ? chainHash : null,
      leafCount,
      edge: edge.map((hash) => hexToBytes(String(hash))),
    },
  }
}

function runEndsAtOf(payload: unknown): Date {
  if (typeof payload === 'object' && payload !== null && 'run_ends_at' in payload) {
    const endsAt = new Date(String(payload.run_ends_at))
    if (!Number.isNaN(endsAt.getTime())) return endsAt
  }
  throw new Error('chain_audit.step: run_ends_at must be a date')
}
