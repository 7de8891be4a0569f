import type { RecordSource, WindowContext } from '@touchstone/protocol/evidence'
import type { Clock } from '../../../kernel/clock.ts'
import { newId } from '../../../kernel/ids.ts'
import { Problem } from '../../../kernel/problem.ts'
import { isDecisionAbout, noSuchDecision, toolsAllowedBy } from '../../../record-origin.ts'
import type { Facts, Named } from './facts-service.ts'
import type {
  AnalysedSubmission,
  Analysis,
  IngestAgent,
  Ledger,
  Limits,
  Org,
  Sender,
  Traces,
} from './ports.ts'
import {
  type GivenSubmission,
  isSameSubmission,
  readSubmission,
  type Submission,
} from './submission.ts'

/** Over all credentials (spec: evidence §8). */
const PER_AGENT_MINUTE = 600
/** spec: evidence §4.1. */
const PARALLEL_MAX = 10

export type AdmissionDeps = {
  clock: Clock
  analysis: Analysis
  facts(named: Named): Promise<Facts>
  ledger: Ledger
  limits: Limits
  traces: Traces
}

/** An analysed submission of an organisation's agent, ready to be stored. */
export type Arrival = AnalysedSubmission & { org: Org; ingestAgent: IngestAgent }

/** An item of a batch after admission. */
export type AdmittedItem =
  | { kind: 'rejected'; problem: Problem }
  | { kind: 'duplicate'; checkpointId: string; agent: IngestAgent }
  | { kind: 'analysed'; arrival: Arrival }

type Admitted = {
  kind: 'admitted'
  org: Sender
  source: RecordSource
  submission: Submission
  agent: IngestAgent
  /** The tools of the calls it is about that the gateway allowed. */
  allowedTools: ReadonlySet<string>
}

/** Submissions, and where they all come from. */
export type Delivery = { given: readonly (GivenSubmission | Problem)[]; source: RecordSource }

/** Checks, rate-limits and analyses a batch. Runs before the transaction, without any lock. */
export async function admitAll(
  deps: AdmissionDeps,
  org: Sender,
  { given, source }: Delivery,
): Promise<AdmittedItem[]> {
  const now = deps.clock.now()
  const read = given.map((one) => (one instanceof Problem ? one : accept(one, now)))
  const submissions = read.flatMap((one) => (one instanceof Problem ? [] : [one]))
  const stored = await deps.facts({
    orgId: org.orgId,
    agentIds: submissions.map((submission) => submission.agentId),
    checkpointIds: submissions.flatMap((submission) => submission.checkpointId ?? []),
    decisionIds: submissions.flatMap((submission) => submission.decisionIds),
  })
  const facts = { ...stored, org, source }
  const admitted: (AdmittedItem | Admitted)[] = []
  for (const one of read) {
    admitted.push(one instanceof Problem ? reject(one) : await admit(deps, one, facts))
  }
  return mapConcurrently(admitted, PARALLEL_MAX, (one) =>
    one.kind === 'admitted' ? analyse(deps, one) : Promise.resolve(one),
  )
}

function reject(problem: Problem): AdmittedItem {
  return { kind: 'rejected', problem }
}

function accept(submission: GivenSubmission, now: Date): Submission | Problem {
  const read = readSubmission(submission, now)
  if (read.ok) return read.submission
  const { field, code, reason } = read
  return new Problem('invalid_request', `${field}: ${reason}`, {
    details: [{ path: `/${field}`, code, message: reason }],
  })
}

type AdmissionFacts = Facts & { org: Sender; source: RecordSource }

async function admit(
  deps: AdmissionDeps,
  submission: Submission,
  { org, source, agents, known, decisions }: AdmissionFacts,
): Promise<AdmittedItem | Admitted> {
  const agent = agents.get(submission.agentId)
  if (agent === undefined) return reject(agentNotFound())
  if (agent.archived) return reject(agentArchived())
  const twin =
    submission.checkpointId === undefined ? undefined : known.get(submission.checkpointId)
  if (twin !== undefined) {
    if (!isSameSubmission(submission, twin)) return reject(idTaken(twin.checkpointId))
    return { kind: 'duplicate', checkpointId: twin.checkpointId, agent }
  }
  const about = { agentId: submission.agentId, sessionId: submission.givenSessionId }
  const foreign = submission.decisionIds.find((id) => !isDecisionAbout(about, decisions.get(id)))
  if (foreign !== undefined) return reject(noSuchDecision('decision_ids', foreign))
  try {
    if (isSent(source)) await deps.limits.take(`checkpoints ${agent.agentId}`, PER_AGENT_MINUTE)
  } catch (err) {
    if (err instanceof Problem) return reject(err)
    throw err
  }
  const allowedTools = toolsAllowedBy(submission.decisionIds, decisions)
  return { kind: 'admitted', org, source, submission, agent, allowedTools }
}

/**
 * Whether a credential sent it. Evidence that the gateway reads itself is limited by the rate of the
 * connection: an agent that sends many checkpoints must not keep the gateway from recording its turns.
 */
function isSent({ kind }: RecordSource): boolean {
  return kind === 'api' || kind === 'otlp'
}

async function analyse(
  deps: AdmissionDeps,
  { org, source, submission, agent, allowedTools }: Admitted,
): Promise<AdmittedItem> {
  const { agentId, cardVersion: version } = agent
  const { traceId } = submission
  // Another agent's trace is treated like a missing one (spec: platform §1.2).
  const trace =
    traceId === undefined ? undefined : await deps.traces.findFindings({ agentId, traceId })
  const loadWindow = (): Promise<WindowContext> =>
    deps.ledger.windowAt(submission, submission.timestamp)
  const { examination, basis, windowShown, traits } = await deps.analysis.analyse(
    { orgId: org.orgId, agentId, version },
    { submission, allowedTools },
    loadWindow,
  )
  const arrival = {
    submission,
    checkpointId: submission.checkpointId ?? newId('ic'),
    examination,
    basis,
    agent,
    trace,
    source,
    windowShown,
    traits,
    org,
    sentBy: org.sentBy,
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
    `The checkpoint id ${checkpointId} belongs to a different submission.`,
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
