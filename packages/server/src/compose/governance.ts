import { canonicalJson } from '@touchstone/protocol/base'
import { sha256Hex } from '@touchstone/protocol/crypto'
import { createApprovalFeature } from '../areas/governance/approvals/feature.ts'
import { createDecisionFeature } from '../areas/governance/decisions/feature.ts'
import type { LogEntries, LogProofs } from '../areas/governance/decisions/ports.ts'
import { createEvaluationFeature } from '../areas/governance/evaluations/feature.ts'
import { createGatewayFeature } from '../areas/governance/gateway/feature.ts'
import { createHookFeature } from '../areas/governance/hooks/feature.ts'
import { createImpactFeature } from '../areas/governance/impact/feature.ts'
import { createPolicyFeature } from '../areas/governance/policy/feature.ts'
import { createToolPinFeature } from '../areas/governance/tool-pins/feature.ts'
import { createTransactionFeature } from '../areas/governance/transactions/feature.ts'
import type { Db } from '../kernel/db.ts'
import type { createControl } from './control.ts'
import { cardsInForce, type createEvidence, traceRetentionDays } from './evidence.ts'
import type { Kernel } from './kernel.ts'
import { rejectOverload } from './overload.ts'
import type { createPlatform } from './platform.ts'

type Built = {
  platform: ReturnType<typeof createPlatform>
  evidence: ReturnType<typeof createEvidence>
  control: ReturnType<typeof createControl>
}

/** Features of areas that are built after this one. */
type Later = {
  /** Teams, whose policies apply to transactions of their members. */
  teams: {
    lockActive(tx: Db, teamId: string): Promise<unknown>
    activeTeamsOf(db: Db, agentId: string): Promise<readonly string[]>
  }
  entries: LogEntries
  proofs: LogProofs
}

/** spec: governance §2.2: an evaluation that takes longer counts as failed. */
const EVALUATION_MS_MAX = 250

/** Many times what the most tools take, because a thread has to start first on a busy machine. */
const LEARN_TIMEOUT_MS = 30_000

/** Fields of a call that hooks of coding agents cannot fill. */
const NOT_ASKED_BY_HOOKS = {
  justification: undefined,
  transactionId: undefined,
  escalationId: undefined,
}

/** Policies, transactions, evaluations and the gateway. */
export function createGovernance(
  kernel: Kernel,
  built: Built,
  later: () => Later,
  callMsMax = EVALUATION_MS_MAX,
) {
  const { platform, evidence, control } = built
  const { db, clock, events, lifecycle, log, metrics, notices, secrets, spans } = kernel
  const elapsedMs = () => performance.now()
  const orgs = {
    accountOf: async (tx: Db, orgId: string) =>
      (await platform.orgs.service.find(tx, orgId))?.accountId,
  }
  const audit = platform.audit.service
  const agents = evidence.agents.service
  const policies = createPolicyFeature(
    {
      db,
      clock,
      notices,
      audit,
      log: kernel.logQueue,
      agents: {
        assertOpen: async (tx, agentId) => void (await agents.lockForCard(tx, agentId)),
      },
      teams: {
        assertActive: async (tx, teamId) => void (await later().teams.lockActive(tx, teamId)),
      },
      cards: { find: cardsInForce(evidence) },
    },
    lifecycle,
  )
  const transactions = createTransactionFeature(
    {
      db,
      clock,
      notices,
      audit,
      agents,
      containment: control.containment.service,
      policies: policies.service,
      teams: {
        async layersOf(db, { agentId }) {
          const teamIds = await later().teams.activeTeamsOf(db, agentId)
          const found = await policies.service.teamPolicies(db, teamIds)
          return teamIds.map((teamId) => ({ teamId, policy: found.get(teamId) }))
        },
      },
    },
    lifecycle,
  )
  const evaluations = createEvaluationFeature(
    {
      db,
      clock,
      events,
      notices,
      spans,
      elapsedMs,
      callMsMax,
      agents,
      orgs,
      policies: policies.service,
      traces: evidence.traces.service,
      transactions: transactions.service,
      onEvaluated: ({ context, evaluation }) =>
        metrics.policyEvaluated(evaluation.verdict, context),
      onEvaluationFailed(err) {
        metrics.policyFailures.inc({ kind: 'evaluation' })
        log.error({ err }, 'failed to evaluate a policy')
      },
      onRecordingFailed(err, count) {
        metrics.policyFailures.inc({ kind: 'recording' }, count)
        log.error({ err, count }, 'failed to record evaluations')
      },
    },
    lifecycle,
  )
  const decisions = createDecisionFeature(
    {
      db,
      groupCommitDb: kernel.groupCommitDb,
      clock,
      secrets,
      events,
      orgs,
      agents,
      checkpoints: evidence.intake.service,
      approvals: {
        answerableInClient: (orgId, escalationIds) =>
          approvals.service.answerableInClient(orgId, escalationIds),
      },
      signer: evidence.attestation.service.signer,
      log: kernel.logQueue,
      entries: { indexesOf: (type, ids) => later().entries.indexesOf(type, ids) },
      proofs: { findProof: (type, id) => later().proofs.findProof(type, id) },
      durability: kernel.config.decisionDurability,
      retentionDays: kernel.config.decisionRetentionDays,
      plans: { historyDays: (orgId) => traceRetentionDays(platform.plans, orgId) },
      onBrokenExport: (err) => log.error({ err }, 'an export of decisions was aborted'),
      onUnrecorded: () => metrics.decisionsUnrecorded.inc(),
      onError: (err) => log.error({ err }, 'decisions could not be stored'),
    },
    lifecycle,
  )
  const stream = platform.stream.service
  stream.replayFrom(decisions.reads.recentFrames)
  const approvals = createApprovalFeature(
    {
      db,
      clock,
      events,
      notices,
      secrets,
      jobs: kernel.jobs,
      audit,
      agents,
      log: kernel.logQueue,
      agentNames: { nameOf: async (agentId) => (await agents.find(agentId))?.name },
      members: membersOf(platform),
      mailer: platform.mail.service,
      endpoints: platform.webhooks.channels,
      baseUrl: kernel.config.baseUrl,
      storesArguments: kernel.config.escalationArguments,
    },
    lifecycle,
  )
  const toolPins = createToolPinFeature({ db, clock, notices, audit, agents }, lifecycle)
  const gateway = createGatewayFeature(
    {
      clock,
      stream,
      agents,
      approvals: approvals.service,
      policies: policies.service,
      evaluations: evaluations.service,
      transactions: transactions.service,
      containment: control.containment.service,
      toolPins: toolPins.service,
      holds: control.enforcement.service,
      ledger: decisions.ledger,
      sessionCounters: decisions.sessionCounters,
      kept: decisions.kept,
      elapsedMs,
      hearsChanges: kernel.notices.isLive,
    },
    lifecycle,
  )
  createHookFeature(
    {
      gateway: {
        async decide(org, call, caller) {
          const asked = { ...call, ...NOT_ASKED_BY_HOOKS }
          const { result } = await gateway.service.decide(org, asked, {
            askedBy: caller.keyId,
            isBound: true,
            source: 'hook',
            enforced: caller.enforces,
            client: caller.client,
          })
          const { decision, reasons } = result.decision
          const { nudges: notices, escalationId } = result
          return { decision, reasons, notices, escalationId }
        },
      },
      outcomes: {
        reportCall: (org, { keyId, agentId }, call, outcome) => {
          const { tool, callId, sessionId } = call
          const argumentsHash =
            call.arguments === undefined ? null : sha256Hex(canonicalJson(call.arguments))
          const described = { tool, callId, sessionId, argumentsHash }
          return decisions.outcomes.reportCall(org, { id: keyId, agentId }, described, outcome)
        },
      },
      approvals: approvals.service,
      onFault: (err) => log.error({ err }, 'a hook could not be answered'),
    },
    lifecycle,
  )
  const traces = evidence.traces.service
  const impact = createImpactFeature(
    {
      clock,
      elapsedMs,
      callMsMax,
      agents,
      policies: policies.service,
      traces,
      learning: {
        agents: {
          orgOf: agents.orgOf,
          nameOf: async (agentId) => (await agents.find(agentId))?.name,
        },
        policies: policies.service,
        decisions: decisions.use,
        traces,
        sessions: evidence.ledger.service,
        workers: {
          learnPolicy: (input) =>
            kernel.workers
              .run('learnPolicy', input, { timeoutMs: LEARN_TIMEOUT_MS })
              .catch(rejectOverload),
        },
      },
    },
    lifecycle,
  )
  return { approvals, decisions, evaluations, gateway, impact, policies, transactions }
}

/** Adapts organisations to the port of approvals. */
function membersOf({ orgs }: Built['platform']) {
  return {
    idsOf: async (orgId: string) =>
      (await orgs.service.listMembers(orgId)).map(({ userId }) => userId),
    rolesOf: async (orgId: string) =>
      new Map((await orgs.service.listMembers(orgId)).map(({ userId, role }) => [userId, role])),
    async emailsOf(orgId: string, userIds: readonly string[]) {
      const members = await orgs.service.listMembers(orgId)
      return members.flatMap(({ userId, email }) =>
        userIds.includes(userId) && email !== null ? [email] : [],
      )
    },
  }
}
