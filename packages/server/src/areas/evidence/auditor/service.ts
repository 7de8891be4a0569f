import { type Clock, HOUR_MS, later, MINUTE_MS } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { type AgentId, newId } from '../../../kernel/ids.ts'
import { Problem } from '../../../kernel/problem.ts'
import {
  checkCertificates,
  checkHead,
  checkMilestone,
  checkNodes,
  type Fault,
  firstOf,
  type Milestone,
  type SoundLink,
  START,
  type Walk,
  walkLinks,
} from './chain-walk.ts'
import type { Agents, Attestation, Checkpoints, Verifier } from './ports.ts'
import { type Checked, checkPresent } from './present-service.ts'
import type { PlanSizes } from './sample.ts'
import {
  type Claimed,
  createAuditStore,
  type FoundFault,
  type FullAudit,
  type Lease,
} from './store.ts'

/** About 20 ms of CPU time, which requests can wait for. */
const SLICE_ROWS = 100
/** With a run every five minutes, every chain is walked within 60 minutes (spec: reputation §5). */
const DUE_MS = 50 * MINUTE_MS
/** Far longer than a slice takes, so it expires only if the walker crashed. */
const LEASE_MS = 2 * MINUTE_MS
/** One computes while the other waits for the database. */
const WALKERS = 2
const ENROL_ROWS = 1000

export type AuditDeps = {
  db: Db
  clock: Clock
  checkpoints: Checkpoints
  attestation: Attestation
  agents: Agents
  verify: Verifier
  planSizes?: PlanSizes
  /** Called once for each broken chain, after commit. */
  onFault(fault: Fault & { agentId: string }): void
}

/** The result of the walks over an agent's chain. */
export type AuditStatus = {
  /** False forever once a fault was found. */
  valid: boolean
  /** Null if nothing was walked yet. */
  auditedThrough: number | null
  auditedAt: Date | null
  fault: FoundFault | null
  /** The last full walk that somebody asked for; null if nobody did. */
  full: FullAudit | null
}

/** An asked walk that did not end within this was lost, which permits another. */
const FULL_STALE_MS = 6 * HOUR_MS

export type AuditService = ReturnType<typeof createAuditService>

/** Walks every chain repeatedly, so that any change of stored data is detected. */
export function createAuditService(deps: AuditDeps) {
  const walks = createWalks(deps)
  const reads = createReads(deps)
  const fullWalks = createFullWalks(deps)
  return {
    enrol: walks.enrol,
    auditSlice: walks.auditSlice,
    auditDue: walks.auditDue,

    status: reads.status,
    verifyTail: reads.verifyTail,
    verifyPresent: reads.verifyPresent,

    requestFull: fullWalks.request,
    continueFull: fullWalks.continue,

    erase: (tx: Db, agentId: AgentId): Promise<void> => createAuditStore(tx).delete(agentId),
  }
}

function createWalks(deps: AuditDeps) {
  const store = createAuditStore(deps.db)
  return {
    /** Adds new chains to those that are walked. */
    async enrol(): Promise<void> {
      let agentIds = await deps.checkpoints.agentsAfter('', ENROL_ROWS)
      while (agentIds.length > 0) {
        await store.enrol(agentIds)
        agentIds = await deps.checkpoints.agentsAfter(agentIds.at(-1) ?? '', ENROL_ROWS)
      }
    },

    /** Walks one slice; `busy` if another walker has leased this chain. */
    async auditSlice(agentId: string, rowsMax: number): Promise<'going' | 'ended' | 'busy'> {
      const lease = leaseOf(deps, newId('walker'))
      const claimed = await store.claim(agentId, lease)
      if (claimed === undefined) return 'busy'
      const next = await auditNext(deps, claimed, { worker: lease.worker, rowsMax })
      if (next === undefined) return 'ended'
      await store.release(agentId, lease.worker)
      return 'going'
    },

    /** Walks due chains, least recently walked first, until a time. True if more may be due. */
    async auditDue(until: Date): Promise<boolean> {
      const due = { dueBefore: later(deps.clock.now(), -DUE_MS), until }
      const failures: unknown[] = []
      const walkers = Array.from({ length: WALKERS }, () => walkDue(deps, due, failures))
      const unfinished = await Promise.all(walkers)
      if (failures.length > 0) throw new AggregateError(failures, 'some chains were not walked')
      return unfinished.includes(true)
    },
  }
}

function createReads(deps: AuditDeps) {
  const store = createAuditStore(deps.db)
  const status = async (agentId: string): Promise<AuditStatus> => {
    const found = await store.find(agentId)
    const fault = found?.fault ?? null
    const walked = found?.audited.position ?? 0
    return {
      valid: fault === null,
      auditedThrough: walked === 0 ? null : walked - 1,
      auditedAt: found?.auditedAt ?? null,
      fault,
      full: found?.full ?? null,
    }
  }
  /** Walks to the end. Throws if there is no such agent. */
  const walkFrom = async (agentId: string, from: Walk, audited: Milestone): Promise<Slice> => {
    let slice: Slice = { walk: from, ended: false, fault: undefined }
    while (!slice.ended) {
      slice = await walkSlice(deps, { agentId, walk: slice.walk, audited }, SLICE_ROWS)
    }
    if (slice.fault !== undefined && !(await report(deps, agentId, slice.fault))) {
      throw new Problem('agent_not_found', 'No such agent.')
    }
    return slice
  }
  return {
    /** The result of past walks. */
    status,

    /** The status after walking what was appended since the last walk. */
    async verifyTail(agentId: string): Promise<AuditStatus> {
      const found = await store.find(agentId)
      const from = found?.audited ?? START
      if (found?.fault == null) await walkFrom(agentId, from, from)
      return status(agentId)
    },

    /** The status after recomputing the rows since the last audit and a sample of older ones. */
    async verifyPresent(agentId: string): Promise<{ status: AuditStatus; checked: Checked }> {
      const { fault, checked } = await checkPresent(deps, agentId, await store.find(agentId))
      if (fault !== undefined && !(await report(deps, agentId, fault))) {
        throw new Problem('agent_not_found', 'No such agent.')
      }
      return { status: await status(agentId), checked }
    },
  }
}

/** Walks over the whole chain in the background, for somebody who asked for one. */
function createFullWalks(deps: AuditDeps) {
  const store = createAuditStore(deps.db)
  return {
    /** False if one is under way, which the caller then waits for. */
    async request(tx: Db, agentId: string): Promise<boolean> {
      const now = deps.clock.now()
      const inTx = createAuditStore(tx)
      await inTx.enrol([agentId])
      return inTx.requestFull(agentId, now, later(now, -FULL_STALE_MS))
    },

    /** Walks until a time, and returns where to continue; undefined at the end of the chain. */
    async continue(agentId: string, from: Walk, until: Date): Promise<Walk | undefined> {
      const audited = (await store.find(agentId))?.audited ?? START
      let slice: Slice = { walk: from, ended: false, fault: undefined }
      while (!slice.ended) {
        slice = await walkSlice(deps, { agentId, walk: slice.walk, audited }, SLICE_ROWS)
        if (!slice.ended && deps.clock.now() >= until) return slice.walk
      }
      if (slice.fault !== undefined && !(await report(deps, agentId, slice.fault))) {
        await store.delete(agentId)
        return undefined
      }
      await transact(deps.db, async (tx) => {
        await saveEnd(deps, tx, agentId, slice)
        await createAuditStore(tx).finishFull(agentId, deps.clock.now())
      })
      return undefined
    },
  }
}

function leaseOf(deps: AuditDeps, worker: string): Lease {
  const now = deps.clock.now()
  return { worker, now, until: later(now, LEASE_MS) }
}

type Due = { dueBefore: Date; until: Date }

/** A chain that cannot be walked does not stop the rest; its lease prevents an immediate retry. */
async function walkDue(deps: AuditDeps, due: Due, failures: unknown[]): Promise<boolean> {
  const store = createAuditStore(deps.db)
  const worker = newId('walker')
  while (deps.clock.now() < due.until) {
    const claimed = await store.claimOldest(due.dueBefore, leaseOf(deps, worker))
    if (claimed === undefined) return false
    try {
      await walkUntil(deps, claimed, worker, due.until)
    } catch (err) {
      failures.push(err)
    }
  }
  return true
}

/** Every slice awaits the database, which lets other work run in between. */
async function walkUntil(
  deps: AuditDeps,
  claimed: Claimed,
  worker: string,
  until: Date,
): Promise<void> {
  let next: Claimed | undefined = claimed
  while (next !== undefined) {
    next = await auditNext(deps, next, { worker, rowsMax: SLICE_ROWS })
    if (next !== undefined && deps.clock.now() >= until) {
      await createAuditStore(deps.db).release(next.agentId, worker)
      return
    }
  }
}

/** Walks one slice and stores the progress; undefined if the walk is finished or its lease lost. */
async function auditNext(
  deps: AuditDeps,
  { agentId, walk, audited }: Claimed,
  { worker, rowsMax }: { worker: string; rowsMax: number },
): Promise<Claimed | undefined> {
  const slice = await walkSlice(deps, { agentId, walk, audited }, rowsMax)
  const store = createAuditStore(deps.db)
  if (!slice.ended) {
    const kept = await store.saveWalk(agentId, slice.walk, leaseOf(deps, worker))
    return kept ? { agentId, walk: slice.walk, audited } : undefined
  }
  if (slice.fault !== undefined && !(await report(deps, agentId, slice.fault))) {
    await store.delete(agentId)
    return undefined
  }
  await transact(deps.db, async (tx) => {
    await saveEnd(deps, tx, agentId, slice)
    await createAuditStore(tx).endWalk(agentId, worker)
  })
  return undefined
}

async function saveEnd(deps: AuditDeps, tx: Db, agentId: string, slice: Slice): Promise<void> {
  const store = createAuditStore(tx)
  const now = deps.clock.now()
  if (slice.fault === undefined) await store.saveIntact(agentId, slice.walk, now)
  else await store.saveBroken(agentId, now)
}

/** False if there is no such agent: a concurrent erasure looks like tampering but is no fault. */
async function report(deps: AuditDeps, agentId: string, fault: Fault): Promise<boolean> {
  if ((await deps.agents.orgOf(agentId)) === undefined) return false
  const isFirst = await transact(deps.db, async (tx) => {
    const store = createAuditStore(tx)
    await store.enrol([agentId])
    return store.noteFault(agentId, { ...fault, at: deps.clock.now() })
  })
  if (isFirst) deps.onFault({ agentId, ...fault })
  return true
}

type Slice = { walk: Walk; ended: boolean; fault: Fault | undefined }

/**
 * Compares the head only if the slice reaches the end of the same snapshot. Nodes and certificates
 * can be read later, because they are stored with their checkpoint and never change.
 */
async function walkSlice(
  deps: AuditDeps,
  { agentId, walk: from, audited }: Claimed,
  rowsMax: number,
): Promise<Slice> {
  const { links, head } = await deps.checkpoints.sliceFrom(agentId, from.position, rowsMax)
  const { walk, sound, nodes, fault: broken } = walkLinks(from, links)
  const atEnd = broken === undefined && links.length < rowsMax
  const fault = firstOf([
    broken,
    nodes.length === 0
      ? undefined
      : checkNodes(nodes, await deps.attestation.nodesOf(agentId, nodes)),
    sound.length === 0
      ? undefined
      : checkCertificates(sound, await rebuild(deps.attestation, agentId, sound)),
    atEnd ? checkHead(walk, head) : undefined,
    checkMilestone(audited, { sound, walk, atEnd }),
  ])
  return { walk, ended: atEnd || fault !== undefined, fault }
}

/** On an invalid stored value, rebuilds one by one, so that the fault is attributed to its checkpoint. */
async function rebuild(
  attestation: Attestation,
  agentId: string,
  links: readonly SoundLink[],
): ReturnType<Attestation['rebuild']> {
  try {
    return await attestation.rebuild(agentId, links)
  } catch (err) {
    if (!(err instanceof TypeError)) throw err
    if (links.length <= 1) return [undefined]
  }
  const each = []
  for (const link of links) each.push(...(await rebuild(attestation, agentId, [link])))
  return each
}
