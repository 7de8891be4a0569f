import { type WindowContext, windowBefore, windowContext } from '@touchstone/protocol/evidence'
import type { Clock } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import { newId } from '../../../kernel/ids.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { Analyst } from '../analysis/service.ts'
import { createIngestStore, type FollowedSession } from '../ledger/append-store.ts'
import type { Examined } from '../ledger/placement.ts'
import { newSession } from '../ledger/session.ts'
import type { Agents, IngestAgent, Limits, Org, Traces } from './ports.ts'
import { type Decision, isSameDecision, readSubmission, type Submission } from './submission.ts'

/** 01 §9: over all credentials. */
const PER_AGENT_MINUTE = 600
/** 01 §4.1. */
const PARALLEL_MAX = 10

export type IntakeDeps = {
  db: Db
  clock: Clock
  agents: Agents
  traces: Traces
  limits: Limits
  analyst: Analyst
}

export type Prepared = Examined & { org: Org; ingestAgent: IngestAgent }

/** What one item of a batch has become: refused, known already, or examined. */
export type Item =
  | { kind: 'refused'; problem: Problem }
  | { kind: 'known'; checkpointId: string; agent: IngestAgent }
  | { kind: 'examined'; prepared: Prepared }

type Admitted = { kind: 'admitted'; org: Org; decision: Decision; agent: IngestAgent }

/** Everything that can be found out before anything is locked. */
export async function prepareAll(
  deps: IntakeDeps,
  org: Org,
  given: readonly (Submission | Problem)[],
): Promise<Item[]> {
  const now = deps.clock.now()
  const read = given.map((one) => (one instanceof Problem ? one : accept(one, now)))
  const decisions = read.flatMap((one) => (one instanceof Problem ? [] : [one]))
  const agents = await agentsOf(deps, org, decisions)
  const known = await knownOf(deps.db, decisions)
  const admitted: (Item | Admitted)[] = []
  for (const one of read) {
    admitted.push(
      one instanceof Problem ? refuse(one) : await admit(deps, one, { org, agents, known }),
    )
  }
  return mapSome(admitted, PARALLEL_MAX, (one) =>
    one.kind === 'admitted' ? examine(deps, one) : Promise.resolve(one),
  )
}

function refuse(problem: Problem): Item {
  return { kind: 'refused', problem }
}

function accept(submission: Submission, now: Date): Decision | Problem {
  const read = readSubmission(submission, now)
  if (read.ok) return read.decision
  const { field, code, reason } = read
  return new Problem('invalid_request', `${field}: ${reason}`, {
    details: [{ path: `/${field}`, code, message: reason }],
  })
}

async function agentsOf(
  deps: IntakeDeps,
  org: Org,
  decisions: readonly Decision[],
): Promise<ReadonlyMap<string, IngestAgent>> {
  const ids = [...new Set(decisions.map((decision) => decision.agentId))]
  const found = ids.length === 0 ? [] : await deps.agents.forIngest(org.orgId, ids)
  return new Map(found.map((agent) => [agent.agentId, agent]))
}

async function knownOf(db: Db, decisions: readonly Decision[]) {
  const ids = decisions.flatMap((decision) => decision.checkpointId ?? [])
  const found = await createIngestStore(db).known(ids)
  return new Map(found.map((one) => [one.checkpointId, one]))
}

type Facts = {
  org: Org
  agents: Awaited<ReturnType<typeof agentsOf>>
  known: Awaited<ReturnType<typeof knownOf>>
}

async function admit(
  deps: IntakeDeps,
  decision: Decision,
  { org, agents, known }: Facts,
): Promise<Item | Admitted> {
  const agent = agents.get(decision.agentId)
  if (agent === undefined) return refuse(noAgent())
  if (agent.archived) return refuse(archived())
  const twin = decision.checkpointId === undefined ? undefined : known.get(decision.checkpointId)
  if (twin !== undefined) {
    if (!isSameDecision(decision, twin)) return refuse(idTaken(twin.checkpointId))
    return { kind: 'known', checkpointId: twin.checkpointId, agent }
  }
  try {
    await deps.limits.take(`checkpoints ${agent.agentId}`, PER_AGENT_MINUTE)
  } catch (err) {
    if (err instanceof Problem) return refuse(err)
    throw err
  }
  return { kind: 'admitted', org, decision, agent }
}

async function examine(deps: IntakeDeps, { org, decision, agent }: Admitted): Promise<Item> {
  const linked =
    decision.traceId === undefined ? undefined : await deps.traces.findFindings(decision.traceId)
  // Another agent's is answered like one that is not there (04 §1.2).
  const trace = linked?.agentId === agent.agentId ? linked : undefined
  const basis = await deps.analyst.basisOf(org.orgId, agent)
  const { examination, windowShown } = await deps.analyst.examine(decision, basis, () =>
    currentWindow(deps.db, decision),
  )
  const prepared = {
    decision,
    checkpointId: decision.checkpointId ?? newId('ic'),
    examination,
    basis,
    agent,
    trace,
    windowShown,
    org,
    ingestAgent: agent,
  }
  return { kind: 'examined', prepared }
}

async function currentWindow(db: Db, decision: Decision): Promise<WindowContext> {
  const { window } = await followedSession(db, decision)
  return windowContext(windowBefore(window, decision.timestamp))
}

export async function followedSession(
  db: Db,
  place: { agentId: string; sessionId: string },
): Promise<FollowedSession> {
  const { agentId, sessionId } = place
  const [found] = await createIngestStore(db).sessions([{ agentId, sessionId }])
  return found ?? { session: newSession(agentId, sessionId), window: [] }
}

export function noAgent(): Problem {
  return new Problem('agent_not_found', 'No such agent.')
}

export function archived(): Problem {
  return new Problem('conflict', 'The agent is archived; nothing can be added to it.')
}

export function idTaken(checkpointId: string): Problem {
  return new Problem('conflict', `The checkpoint id ${checkpointId} is taken by another decision.`)
}

/** In the order given, so many at a time. */
async function mapSome<From, To>(
  items: readonly From[],
  atOnceMax: number,
  work: (item: From) => Promise<To>,
): Promise<To[]> {
  const results: To[] = []
  let next = 0
  const run = async (): Promise<void> => {
    while (next < items.length) {
      const index = next
      next += 1
      const item = items[index]
      if (item !== undefined) results[index] = await work(item)
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnceMax, items.length) }, run))
  return results
}
