import type { Actor, Audit } from '../../../audit.ts'
import { type Clock, DAY_MS, later } from '../../../kernel/clock.ts'
import type { Page, PageRequest } from '../../../kernel/db.ts'
import { type Db, purgeInPages, transact } from '../../../kernel/db.ts'
import type { Events } from '../../../kernel/events.ts'
import { type AgentId, newId } from '../../../kernel/ids.ts'
import type { Notices } from '../../../kernel/notices.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { SecretBox } from '../../../kernel/secrets.ts'
import type { LogQueue, LogRecord } from '../../../log-record.ts'
import { type Answer, type Answerer, hasAsked, isApprover, judgeAnswer } from './answer.ts'
import { type ApprovalFinding, approvalRuleOf } from './approval-rule.ts'
import { shownArguments } from './call-arguments.ts'
import { type ChannelDeps, createChannels } from './channel-service.ts'
import {
  ARGUMENTS_KEPT_MS,
  approvalOf,
  type CallApproval,
  type Escalation,
  type EscalationStatus,
  hasArgumentsAt,
  isAnswerableInClient,
  openEscalation,
  type Question,
  type Subject,
  statusAt,
} from './escalation.ts'
import { escalationEvent, type PolicyFindings, resolvedEvent } from './escalation-event.ts'
import type { Agents } from './ports.ts'
import { createEscalationStore } from './store.ts'
import { createWaiters } from './wait-service.ts'

/** The same as for evaluations, so that an evaluation can be read together with its escalation. */
const RETENTION_MS = 90 * DAY_MS

/**
 * Bounds the race with a person who resolves the pending escalation between the failed insert and
 * the read that follows it. Losing that race twice in a row is already very unlikely.
 */
const INSERT_TRIES_MAX = 5

export type ApprovalDeps = ChannelDeps & {
  db: Db
  clock: Clock
  audit: Audit
  events: Events
  notices: Notices
  secrets: SecretBox
  agents: Agents
  log: LogQueue
  baseUrl: string
  /** False with ESCALATION_ARGUMENTS=off. */
  storesArguments: boolean
}

/** The organisation that owns the agent. */
export type Org = { orgId: string; accountId: string }

/** A call that needs an approval. */
export type ApprovalRequest = Subject & {
  arguments: Readonly<Record<string, unknown>> | undefined
  justification: string | null
  transactionId: string | null
  decisionId: string
  requestedBy: string
  reason: string
  /** The findings that the approval is needed for. */
  findings: readonly ApprovalFinding[]
}

/** An escalation that is about to be opened. */
export type Opening = {
  /** Equal for calls that share one. Transactions open several in this order, or they could deadlock. */
  subject: string
  /** Returns the id of the pending escalation for the same call, else of a new one with its event. */
  open(tx: Db): Promise<string>
}

export type EscalationFilter = {
  orgId: string
  agentId: string | undefined
  status: EscalationStatus | undefined
  /** A key that sees only what it asked for. */
  asker?: string | undefined
}

/** Escalation with what only those see who can resolve it. */
export type ShownEscalation = {
  escalation: Escalation
  /** Text if truncated; null if not stored, deleted or not to be shown. */
  arguments: Readonly<Record<string, unknown>> | string | null
}

export type ApprovalService = ReturnType<typeof createApprovalService>

/** Approvals that decisions request: people resolve each once, and calls use it. */
export function createApprovalService(deps: ApprovalDeps) {
  const store = createEscalationStore(deps.db)
  const withCurrentState = (escalation: Escalation): Escalation => {
    const now = deps.clock.now()
    return {
      ...escalation,
      status: statusAt(escalation, now),
      hasArguments: hasArgumentsAt(escalation, now),
    }
  }
  const find = async (escalationId: string): Promise<Escalation | undefined> => {
    const found = await store.find(escalationId)
    return found && withCurrentState(found)
  }
  const waiters = createWaiters({ clock: deps.clock, notices: deps.notices, find })
  const approveUrl = (escalationId: string) => `${deps.baseUrl}/approvals/${escalationId}`
  const argumentsTextOf = async ({ escalationId, hasArguments }: Escalation) => {
    const sealed = hasArguments ? await store.findArguments(escalationId) : null
    return sealed && deps.secrets.open(sealed, purposeOf(escalationId))
  }
  const channels = createChannels(deps, { find, approveUrl, argumentsTextOf })
  return {
    approveUrl,
    channels,

    /**
     * Opens an escalation in the transaction that stores its decision, so that no one is asked about a
     * call whose decision was not stored.
     */
    opening(org: Org, request: ApprovalRequest, policy: PolicyFindings | null): Opening {
      const { agentId, tool, sessionId, argumentsHash, requestedBy } = request
      return {
        subject: JSON.stringify([agentId, tool, sessionId, argumentsHash]),

        async open(tx) {
          const { sealed, ...details } = prepare(deps, org, request)
          await deps.agents.hear(tx, { agentId, orgId: org.orgId })
          const fresh = openEscalation(details, deps.clock.now())
          const { escalation, isNew } = await insertOrFindPending(tx, fresh, sealed)
          const { escalationId } = escalation
          if (isNew) {
            const shown = { policy, approveUrl: approveUrl(escalationId) }
            await deps.events.emit(tx, { ...org, ...escalationEvent(escalation, shown) })
            await channels.announce(tx, escalation)
          } else if (!escalation.askers.includes(requestedBy)) {
            await createEscalationStore(tx).addAsker(escalationId, requestedBy)
          }
          return escalationId
        },
      }
    },

    /** The escalation that a call names. */
    async getNamed(orgId: string, escalationId: string, call: Question): Promise<CallApproval> {
      const found = await store.find(escalationId)
      const isReached = found?.orgId === orgId && !(call.isBound && found.agentId !== call.agentId)
      if (!isReached) throw escalationNotFound()
      return approvalOf(found, call, deps.clock.now())
    },

    /**
     * The effect of an escalation on a call that may have used it already, as though it had not. If the
     * escalation was not approved, it has no uses.
     */
    async findUsed(escalationId: string, call: Question): Promise<CallApproval | undefined> {
      const found = await store.find(escalationId)
      const usesLeft = (found?.usesLeft ?? 0) + 1
      return found && approvalOf({ ...found, usesLeft }, call, deps.clock.now())
    },

    /** The approvals that cover this call, which does not have to name one. The best is first. */
    async listUsable(call: Question): Promise<CallApproval[]> {
      const now = deps.clock.now()
      const found = await store.listApproved(call, now)
      return found.map((escalation) => approvalOf(escalation, call, now))
    },

    /** Returns true to exactly as many of several concurrent callers as the approval has uses left. */
    use: (escalationId: string): Promise<boolean> =>
      transact(deps.db, (tx) => createEscalationStore(tx).use(escalationId, deps.clock.now())),

    /** Selects escalations that the user of a client may answer there and that nobody rejected. */
    async answerableInClient(
      orgId: string,
      escalationIds: readonly string[],
    ): Promise<ReadonlySet<string>> {
      const found = await store.findAll(orgId, escalationIds)
      return new Set(found.filter(isAnswerableInClient).map(({ escalationId }) => escalationId))
    },

    /** Undoes a use whose call was stopped after all. */
    giveBack: (escalationId: string): Promise<void> => store.giveBack(escalationId),

    /** Notes that one more key asked for the call of a pending escalation. */
    addAsker: (escalationId: string, asker: string): Promise<void> =>
      store.addAsker(escalationId, asker),

    /** Does not check the tenant: only the route knows the caller. */
    find,

    hasAsked,

    /** Resolves after a change, at once if the escalation has ended, or after the given time. */
    awaitChange: waiters.awaitChange,
    releaseWaiters: waiters.releaseAll,

    /** Adds the arguments if the viewer can resolve the escalation. */
    async show(escalation: Escalation, viewer: Answerer | undefined): Promise<ShownEscalation> {
      const isShown = viewer !== undefined && isApprover(escalation, viewer.role)
      const text = isShown ? await argumentsTextOf(escalation) : null
      const isWhole = text !== null && !escalation.isTruncated
      return { escalation, arguments: isWhole ? JSON.parse(text) : text }
    },

    async list(filter: EscalationFilter, page: PageRequest): Promise<Page<Escalation>> {
      const found = await store.list({ ...filter, now: deps.clock.now() }, page)
      return { ...found, items: found.items.map(withCurrentState) }
    },

    async resolve(
      escalationId: string,
      given: { answer: Answer; by: Answerer; org: Org },
      actor: Actor,
    ): Promise<Escalation> {
      const { org } = given
      const roles = await deps.members.rolesOf(org.orgId)
      const resolved = await transact(deps.db, async (tx) => {
        const own = createEscalationStore(tx)
        const before = await own.lock(escalationId)
        if (before === undefined) throw escalationNotFound()
        const now = deps.clock.now()
        const judged = judgeAnswer(before, { ...given, roles }, now)
        if (!judged.ok) throw new Problem(judged.code, judged.message)
        const after = judged.escalation
        await own.saveAnswer(after)
        await deps.log.add(tx, [toLogRecord(after, given, now)])
        await deps.audit.record(tx, { orgId: org.orgId, actor, ...auditOf(before, after) })
        if (after.status === 'approved' || after.status === 'rejected') {
          await deps.events.emit(tx, { ...org, ...resolvedEvent(after, after.status) })
        }
        await deps.notices.publish(tx, waiters.topic, escalationId)
        return after
      })
      return withCurrentState(resolved)
    },

    /** Deletes arguments that nobody needs any more. */
    purgeArguments: (now: Date): Promise<number> =>
      purgeInPages((rowsMax) => store.deleteArguments(later(now, -ARGUMENTS_KEPT_MS), rowsMax)),

    purge: (now: Date): Promise<number> =>
      purgeInPages((rowsMax) => store.deleteEnded(later(now, -RETENTION_MS), rowsMax)),

    /** Runs in the transaction that erases the agent. */
    erase: (tx: Db, agentId: AgentId): Promise<void> =>
      createEscalationStore(tx).deleteOfAgent(agentId),
  }
}

/** The new escalation with its sealed arguments, if they are stored. */
function prepare(deps: ApprovalDeps, { orgId }: Org, request: ApprovalRequest) {
  const { arguments: args, findings, ...call } = request
  const escalationId = newId('esc')
  const shown = args === undefined || !deps.storesArguments ? undefined : shownArguments(args)
  return {
    ...call,
    escalationId,
    orgId,
    rule: approvalRuleOf(findings),
    triggers: findings.map(({ condition, reason }) => ({ condition, reason })),
    hasArguments: shown !== undefined,
    isTruncated: shown?.isTruncated ?? false,
    sealed: shown === undefined ? null : deps.secrets.seal(shown.text, purposeOf(escalationId)),
  }
}

/** Names the escalation, so that sealed arguments cannot be moved to another one. */
function purposeOf(escalationId: string): string {
  return `escalation.arguments ${escalationId}`
}

async function insertOrFindPending(
  tx: Db,
  escalation: Escalation,
  sealed: string | null,
): Promise<{ escalation: Escalation; isNew: boolean }> {
  const store = createEscalationStore(tx)
  for (let tries = 0; tries < INSERT_TRIES_MAX; tries += 1) {
    await store.expire(escalation, escalation.createdAt)
    if (await store.insert(escalation, sealed)) return { escalation, isNew: true }
    const pending = await store.findPending(escalation)
    if (pending !== undefined) return { escalation: pending, isNew: false }
  }
  throw new Error('the escalation could neither be inserted nor found')
}

function toLogRecord(
  after: Escalation,
  { answer, by }: { answer: Answer; by: Answerer },
  at: Date,
): LogRecord {
  const { escalationId, orgId, agentId, decisionId, argumentsHash } = after
  const { outcome, scope } = answer
  return {
    type: 'approval',
    recordId: `${escalationId}/${after.answers}`,
    orgId,
    agentId,
    record: {
      escalation_id: escalationId,
      decision_id: decisionId,
      outcome,
      by: by.userId,
      scope: outcome === 'approve' ? (scope ?? 'call') : null,
      arguments_hash: argumentsHash,
      at: at.toISOString(),
    },
    at,
  }
}

function auditOf(before: Escalation, after: Escalation) {
  const target = { type: 'escalation', id: after.escalationId }
  if (after.status === before.status) {
    const approvals = { from: before.approvals.length, to: after.approvals.length }
    return { action: 'escalation.approved', target, changes: { approvals } }
  }
  const status = { from: before.status, to: after.status }
  const scope = { from: null, to: after.scope }
  const changes = after.scope === null ? { status } : { status, scope }
  return { action: 'escalation.resolved', target, changes }
}

export function escalationNotFound(): Problem {
  return new Problem('not_found', 'No such escalation.')
}
