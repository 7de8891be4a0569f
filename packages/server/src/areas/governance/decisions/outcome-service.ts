import type { Clock } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import type { Events } from '../../../kernel/events.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { LogQueue, LogRecord } from '../../../log-record.ts'
import { bypassedEvent, violationOf } from './decision-event.ts'
import { isDecisionId, type Outcome } from './decision-record.ts'
import { createKindIds } from './kind-id-service.ts'
import { kindOf } from './kind-store.ts'
import {
  answerReport,
  canReport,
  type OutcomeAnswer,
  type ReportedDecision,
  type ReportedOutcome,
  type Reporter,
} from './outcome.ts'
import { outcomeDays } from './outcome-day.ts'
import { createOutcomeStore, type NewOutcome } from './outcome-store.ts'
import type { Approvals, Checkpoints } from './ports.ts'
import { createRecordStore, type KnownDecision, type OpenCall } from './record-store.ts'

export type OutcomeDeps = {
  db: Db
  clock: Clock
  events: Events
  checkpoints: Checkpoints
  approvals: Approvals
  log: LogQueue
}

type Org = { orgId: string; accountId: string }

/** A call that was made, as a client describes it afterwards. */
export type CallOfSession = OpenCall['call'] & { sessionId: string | undefined }

export type Report = ReportedOutcome & { decisionId: string }

export type Outcomes = ReturnType<typeof createOutcomes>

/** Attempts to store a batch of outcomes while other requests report about the same decisions. */
const RACES_MAX = 5

/** Stores what became of decisions (spec: decisions §3). */
export function createOutcomes(deps: OutcomeDeps) {
  const kinds = createOutcomeKinds(deps)
  const attempt = async (org: Org, reporter: Reporter, reports: readonly Report[]) => {
    const ids = reports.map(({ decisionId }) => decisionId).filter(isDecisionId)
    const known = await createRecordStore(deps.db).find(org.orgId, ids)
    const answered = await answeredInClient(deps.approvals, org, known)
    const answers = answerAll(reports, { known, answered }, reporter, deps.clock.now())
    const fresh = answers.flatMap((answer) => (answer.kind === 'new' ? [answer] : []))
    if (fresh.length === 0) return answers
    const isStored = await storeAll(deps, org, fresh, await kinds.number(fresh))
    return isStored ? answers : undefined
  }
  const report = async (
    org: Org,
    reporter: Reporter,
    reports: readonly Report[],
  ): Promise<OutcomeAnswer[]> => {
    for (let race = 1; race <= RACES_MAX; race += 1) {
      const answers = await attempt(org, reporter, reports)
      if (answers !== undefined) return answers
    }
    throw new Problem('conflict', 'Other requests report about the same decisions. Try again.')
  }
  return {
    /** Whether there is such a decision for the reporter. */
    async isReportable(org: Org, reporter: Reporter, decisionId: string): Promise<boolean> {
      if (!isDecisionId(decisionId)) return false
      const known = await createRecordStore(deps.db).find(org.orgId, [decisionId])
      const found = known.get(decisionId)
      return found !== undefined && canReport(found.decision, reporter)
    },

    /** Answers the reports in order. */
    report,

    /** Stores the outcome of a call that a client describes; nothing if no decision is about it. */
    async reportCall(
      org: Org,
      reporter: Reporter & { agentId: string },
      { sessionId, ...call }: CallOfSession,
      outcome: Omit<ReportedOutcome, 'resultHash'>,
    ): Promise<void> {
      if (sessionId === undefined) return
      const { orgId } = org
      const { agentId } = reporter
      const open = { orgId, agentId, sessionId, call }
      const decisionId = await createRecordStore(deps.db).findOpen(open)
      if (decisionId === undefined) return
      await report(org, reporter, [{ decisionId, ...outcome, resultHash: null }])
    },

    /** Throws unless the outcome is stored, now or by an earlier report of the same. */
    async reportOne(org: Org, reporter: Reporter, one: Report): Promise<Outcome> {
      const [answer] = await report(org, reporter, [one])
      return requireStored(answer)
    },
  }
}

/** The decisions whose escalation the user of the client could answer there. */
async function answeredInClient(
  approvals: Approvals,
  { orgId }: Org,
  known: ReadonlyMap<string, KnownDecision>,
): Promise<ReadonlySet<string>> {
  const escalationIds = [...known.values()].flatMap(({ decision: { decision, escalationId } }) =>
    decision === 'escalate' && escalationId !== null ? [escalationId] : [],
  )
  return escalationIds.length === 0 ? new Set() : approvals.answerableInClient(orgId, escalationIds)
}

function requireStored(answer: OutcomeAnswer | undefined): Outcome {
  switch (answer?.kind) {
    case 'new':
    case 'duplicate':
      return answer.outcome
    case 'conflict':
      throw new Problem('conflict', 'Another outcome of the decision was reported before.')
    case 'late':
      throw new Problem('conflict', 'The decision was made more than 24 hours ago.')
    default:
      throw new Problem('not_found', 'No such decision.')
  }
}

type Fresh = Extract<OutcomeAnswer, { kind: 'new' }> & { known: KnownDecision }
type Answer = Exclude<OutcomeAnswer, { kind: 'new' }> | Fresh

/** A report that repeats a decision is compared with the first report about it. */
function answerAll(
  reports: readonly Report[],
  { known, answered }: { known: ReadonlyMap<string, KnownDecision>; answered: ReadonlySet<string> },
  reporter: Reporter,
  now: Date,
): Answer[] {
  const first = new Map<string, ReportedDecision>()
  return reports.map(({ decisionId, ...reported }) => {
    const found = known.get(decisionId)
    const isAnsweredInClient = answered.has(found?.decision.escalationId ?? '')
    const stored = found && { ...found, isAnsweredInClient }
    const answer = answerReport(first.get(decisionId) ?? stored, reported, reporter, now)
    if (answer.kind !== 'new') return answer
    if (found === undefined) throw new Error('an outcome of an unknown decision was accepted')
    const { outcome } = answer
    first.set(decisionId, { decision: found.decision, outcome, isAnsweredInClient })
    return { ...answer, known: found }
  })
}

/** Returns false if a decision got an outcome in the meantime; nothing is stored then. */
async function storeAll(
  deps: OutcomeDeps,
  org: Org,
  fresh: readonly Fresh[],
  outcomes: readonly NewOutcome[],
): Promise<boolean> {
  const bypasses = fresh.flatMap(({ known, outcome }) =>
    outcome.bypassed ? [{ decision: known.decision, outcome }] : [],
  )
  const days = outcomeDays(
    fresh.map(({ known: { decision } }) => {
      return {
        agentId: decision.agentId,
        decision: decision.decision,
        at: decision.decidedAt,
        count: 1,
      }
    }),
  )
  const insert = (tx: Db) =>
    createOutcomeStore(tx).insert(org.orgId, outcomes, days, (condition) =>
      deps.log.insertion(
        fresh.map((one) => toLogRecord(org.orgId, one)),
        condition,
      ),
    )
  if (bypasses.length === 0) return insert(deps.db)
  const violations = await deps.checkpoints.prepareViolations(org, bypasses.map(violationOf))
  try {
    await transact(deps.db, async (tx) => {
      // First, because this locks the agents, which an erasure locks before their decisions.
      const checkpointIds = await violations.store(tx)
      if (!(await insert(tx))) throw new Raced()
      const events = bypasses.map((bypass, at) => ({
        orgId: org.orgId,
        accountId: org.accountId,
        ...bypassedEvent(bypass, checkpointIds[at] ?? null),
      }))
      await deps.events.emitAll(tx, events)
    })
  } catch (err) {
    if (err instanceof Raced) return false
    throw err
  }
  violations.settled()
  return true
}

function toLogRecord(orgId: string, { known: { decision }, outcome }: Fresh): LogRecord {
  const { decisionId, agentId } = decision
  return {
    type: 'outcome',
    recordId: decisionId,
    orgId,
    agentId,
    record: {
      decision_id: decisionId,
      status: outcome.status,
      reported_at: outcome.reportedAt.toISOString(),
      duration_ms: outcome.durationMs,
      error: outcome.error,
      result_hash: outcome.resultHash,
    },
    at: outcome.reportedAt,
  }
}

/** Rolls back: another request has reported about one of the decisions. */
class Raced extends Error {}

/** Knows which kind decisions of a kind move to with an outcome. */
function createOutcomeKinds(deps: Pick<OutcomeDeps, 'db' | 'clock'>) {
  const kindIds = createKindIds(deps)
  return {
    async number(fresh: readonly Fresh[]): Promise<NewOutcome[]> {
      const ids = await kindIds.of(
        new Map(
          fresh.map((one) => [keyOf(one), () => kindOf(one.known.decision, one.outcome)] as const),
        ),
      )
      return fresh.map((one) => {
        const kindId = ids.get(keyOf(one))
        if (kindId === undefined) throw new Error('the kind of an outcome was not stored')
        return { decisionId: one.known.decision.decisionId, kindId, outcome: one.outcome }
      })
    },
  }
}

function keyOf({ known, outcome }: Fresh): string {
  return `${known.decision.orgId} ${known.kindId} ${outcome.status} ${outcome.bypassed}`
}
