import { type Clock, later, MINUTE_MS } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { type AgentId, newId } from '../../../kernel/ids.ts'
import { Problem } from '../../../kernel/problem.ts'
import {
  type Fault,
  firstOf,
  joinLinks,
  judgeCertificates,
  judgeHead,
  judgeMilestone,
  judgeNodes,
  type Milestone,
  type SoundLink,
  START,
  type Walk,
} from './chain-walk.ts'
import type { Agents, Attestation, Checkpoints } from './ports.ts'
import { type Claimed, createAuditStore, type FoundFault, type Lease } from './store.ts'

/** Takes about 20 ms of computing at a time, which requests can wait for. */
const SLICE_ROWS = 100
/** With a run every five minutes no walk is more than 60 minutes after the one before (01 §7.5). */
const DUE_MS = 50 * MINUTE_MS
/** Far longer than a slice takes: it only passes when whoever walked is gone. */
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
  /** Once for each broken chain, after it is stored. */
  onFault(fault: Fault & { agentId: string }): void
}

/** What the walks say of an agent's chain; later reads go on from where the last one ended. */
export type AuditStatus = {
  /** False for good once a fault was found. */
  valid: boolean
  /** Null while nothing was walked. */
  auditedThrough: number | null
  auditedAt: Date | null
  fault: FoundFault | null
}

export type AuditService = ReturnType<typeof createAuditService>

/** Walks every chain over and over, so that no change of what is stored stays unseen. */
export function createAuditService(deps: AuditDeps) {
  return { ...auditing(deps), ...answering(deps) }
}

function auditing(deps: AuditDeps) {
  const store = createAuditStore(deps.db)
  return {
    /** Every chain gets its place among those that are walked. */
    async enrol(): Promise<void> {
      let agentIds = await deps.checkpoints.agentsAfter('', ENROL_ROWS)
      while (agentIds.length > 0) {
        await store.enrol(agentIds)
        agentIds = await deps.checkpoints.agentsAfter(agentIds.at(-1) ?? '', ENROL_ROWS)
      }
    },

    /** One slice of the walk under way; busy while another one walks this chain. */
    async auditSlice(agentId: string, rowsMax: number): Promise<'going' | 'ended' | 'busy'> {
      const lease = leaseOf(deps, newId('walker'))
      const claimed = await store.claim(agentId, lease)
      if (claimed === undefined) return 'busy'
      const next = await auditNext(deps, claimed, { worker: lease.worker, rowsMax })
      if (next === undefined) return 'ended'
      await store.release(agentId, lease.worker)
      return 'going'
    },

    /** Walks what is due, the longest not walked first, until then. True when there may be more. */
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

function answering(deps: AuditDeps) {
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
    }
  }
  /** Walks to the end; throws when there is no such agent. */
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
    /** As the walks so far left it. */
    status,

    /** The status, after a walk over what came since the last one. */
    async verifyTail(agentId: string): Promise<AuditStatus> {
      const found = await store.find(agentId)
      const from = found?.audited ?? START
      if (found?.fault == null) await walkFrom(agentId, from, from)
      return status(agentId)
    },

    /** The status, after a walk over everything. */
    async walkNow(agentId: string): Promise<AuditStatus> {
      const found = await store.find(agentId)
      const slice = await walkFrom(agentId, START, found?.audited ?? START)
      await transact(deps.db, async (tx) => {
        await createAuditStore(tx).enrol([agentId])
        await saveEnd(deps, tx, agentId, slice)
      })
      return status(agentId)
    },

    erase: (tx: Db, agentId: AgentId): Promise<void> => createAuditStore(tx).delete(agentId),
  }
}

function leaseOf(deps: AuditDeps, worker: string): Lease {
  const now = deps.clock.now()
  return { worker, now, until: later(now, LEASE_MS) }
}

type Due = { dueBefore: Date; until: Date }

/** One chain that cannot be walked must not keep the others from it; its lease keeps it away. */
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

/** Every slice waits for the database, so that others get their turn between two of them. */
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

/** Walks one slice and stores how far that came; undefined when there is nothing to go on with. */
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

/**
 * False when there is no such agent: to somebody who reads meanwhile an erasure looks like
 * tampering, and after that nothing is left to be true or false.
 */
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
 * The head is compared by a slice that reaches the end as it was at the moment of both. Nodes and
 * certificates may be read later: they are stored with their checkpoint and never change.
 */
async function walkSlice(
  deps: AuditDeps,
  { agentId, walk: from, audited }: Claimed,
  rowsMax: number,
): Promise<Slice> {
  const { links, head } = await deps.checkpoints.sliceFrom(agentId, from.position, rowsMax)
  const { walk, sound, nodes, fault: broken } = joinLinks(from, links)
  const atEnd = broken === undefined && links.length < rowsMax
  const fault = firstOf([
    broken,
    nodes.length === 0
      ? undefined
      : judgeNodes(nodes, await deps.attestation.nodesOf(agentId, nodes)),
    sound.length === 0
      ? undefined
      : judgeCertificates(sound, await rebuild(deps.attestation, agentId, sound)),
    atEnd ? judgeHead(walk, head) : undefined,
    judgeMilestone(audited, { sound, walk, atEnd }),
  ])
  return { walk, ended: atEnd || fault !== undefined, fault }
}

/** A stored value that no certificate can say must not keep the walk from naming the checkpoint. */
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
