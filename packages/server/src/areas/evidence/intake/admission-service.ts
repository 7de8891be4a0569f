import type { WindowContext } from '@touchstone/protocol/evidence'
import type { Clock } from '../../../kernel/clock.ts'
import { newId } from '../../../kernel/ids.ts'
import { Problem } from '../../../kernel/problem.ts'
import type {
  Agents,
  AnalysedDecision,
  Analysis,
  IngestAgent,
  Ledger,
  Limits,
  Org,
  Traces,
} from './ports.ts'
import { type Decision, isSameDecision, readSubmission, type Submission } from './submission.ts'

/** Over all credentials (spec: evidence §8). */
const PER_AGENT_MINUTE = 600
/** spec: evidence §4.1. */
const PARALLEL_MAX = 10

export type AdmissionDeps = {
  clock: Clock
  agents: Agents
  analysis: Analysis
  ledger: Ledger
  limits: Limits
  traces: Traces
}

/** An analysed decision of an organisation's agent, ready to be stored. */
export type Arrival = AnalysedDecision & { org: Org; ingestAgent: IngestAgent }

/** An item of a batch after admission. */
export type AdmittedItem =
  | { kind: 'rejected'; problem: Problem }
  | { kind: 'duplicate'; checkpointId: string; agent: IngestAgent }
  | { kind: 'analysed'; arrival: Arrival }

type Admitted = { kind: 'admitted'; org: Org; decision: Decision; agent: IngestAgent }

/** Checks, rate-limits and analyses a batch. Runs before the transaction, without any lock. */
export async function admitAll(
  deps: AdmissionDeps,
  org: Org,
  given: readonly (Submission | Problem)[],
): Promise<AdmittedItem[]> {
  const now = deps.clock.now()
  const read = given.map((one) => (one instanceof Problem ? one : accept(one, now)))
  const decisions = read.flatMap((one) => (one instanceof Problem ? [] : [one]))
  const agents = await agentsOf(deps, org, decisions)
  const known = await knownOf(deps, decisions)
  const admitted: (AdmittedItem | Admitted)[] = []
  for (const one of read) {
    admitted.push(
      one instanceof Problem ? reject(one) : await admit(deps, one, { org, agents, known }),
    )
  }
  return mapConcurrently(admitted, PARALLEL_MAX, (one) =>
    one.kind === 'admitted' ? analyse(deps, one) : Promise.resolve(one),
  )
}

function reject(problem: Problem): AdmittedItem {
  return { kind: 'rejected', problem }
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
  deps: AdmissionDeps,
  org: Org,
  decisions: readonly Decision[],
): Promise<ReadonlyMap<string, IngestAgent>> {
  const ids = [...new Set(decisions.map((decision) => decision.agentId))]
  const found = ids.length === 0 ? [] : await deps.agents.forIngest(org.orgId, ids)
  return new Map(found.map((agent) => [agent.agentId, agent]))
}

async function knownOf(deps: AdmissionDeps, decisions: readonly Decision[]) {
  const ids = decisions.flatMap((decision) => decision.checkpointId ?? [])
  const found = await deps.ledger.findKnown(ids)
  return new Map(found.map((one) => [one.checkpointId, one]))
}

type Facts = {
  org: Org
  agents: Awaited<ReturnType<typeof agentsOf>>
  known: Awaited<ReturnType<typeof knownOf>>
}

async function admit(
  deps: AdmissionDeps,
  decision: Decision,
  { org, agents, known }: Facts,
): Promise<AdmittedItem | Admitted> {
  const agent = agents.get(decision.agentId)
  if (agent === undefined) return reject(agentNotFound())
  if (agent.archived) return reject(agentArchived())
  const twin = decision.checkpointId === undefined ? undefined : known.get(decision.checkpointId)
  if (twin !== undefined) {
    if (!isSameDecision(decision, twin)) return reject(idTaken(twin.checkpointId))
    return { kind: 'duplicate', checkpointId: twin.checkpointId, agent }
  }
  try {
    await deps.limits.take(`checkpoints ${agent.agentId}`, PER_AGENT_MINUTE)
  } catch (err) {
    if (err instanceof Problem) return reject(err)
    throw err
  }
  return { kind: 'admitted', org, decision, agent }
}

async function analyse(
  deps: AdmissionDeps,
  { org, decision, agent }: Admitted,
): Promise<AdmittedItem> {
  const linked =
    decision.traceId === undefined ? undefined : await deps.traces.findFindings(decision.traceId)
  // Another agent's trace is treated like a missing one (spec: platform §1.2).
  const trace = linked?.agentId === agent.agentId ? linked : undefined
  const { agentId, cardVersion: version } = agent
  const loadWindow = (): Promise<WindowContext> =>
    deps.ledger.windowAt(decision, decision.timestamp)
  const { examination, basis, windowShown } = await deps.analysis.analyse(
    { orgId: org.orgId, agentId, version },
    decision,
    loadWindow,
  )
  const arrival = {
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
  return { kind: 'analysed', arrival }
}

export function agentNotFound(): Problem {
  return new Problem('agent_not_found', 'No such agent.')
}

export function agentArchived(): Problem {
  return new Problem('conflict', 'The agent is archived and accepts no checkpoints.')
}

export function idTaken(checkpointId: string): Problem {
  return new Problem(
    'conflict',
    `The checkpoint id ${checkpointId} belongs to a different decision.`,
  )
}

/** Keeps the order of the items while `concurrency` of them are at work. */
async function mapConcurrently<From, To>(
  items: readonly From[],
  concurrency: number,
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
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, run))
  return results
}
