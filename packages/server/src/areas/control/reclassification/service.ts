import { concernType } from '@touchstone/protocol/analysis'
import { chooseReclassification, type ReclassifiedType } from '@touchstone/protocol/control'
import type { Actor, Audit } from '../../../audit.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Page, PageRequest } from '../../../kernel/db.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { type AgentId, newId } from '../../../kernel/ids.ts'
import { invalidField, Problem } from '../../../kernel/problem.ts'
import type { LogQueue } from '../../../log-record.ts'
import {
  type AmendedAgent,
  assertApplies,
  assertMayExcuse,
  findAmendment,
  type ReclassifyingKey,
} from './card-gap-service.ts'
import { createCommentService } from './comment-service.ts'
import { createCommentStore } from './comment-store.ts'
import type { Agents, Cards, Scores, Traces } from './ports.ts'
import { createRecordService, type LinkedAmendment, withLinks } from './record-service.ts'
import { createReclassificationStore, type Reclassification, type Settled } from './store.ts'
import { createViolationService, type ViolationDeps } from './violation-service.ts'

export type ReclassificationDeps = ViolationDeps & {
  clock: Clock
  audit: Audit
  agents: Agents
  cards: Cards
  traces: Traces
  scores: Scores
  log: LogQueue
}

export type NewReclassification = {
  agentId: string
  checkpointId: string
  reason: string
  cardAmendmentId: string | null
  newType: ReclassifiedType | undefined
}

export type ReclassificationService = ReturnType<typeof createReclassificationService>

export function createReclassificationService(deps: ReclassificationDeps) {
  const violations = createViolationService(deps)
  const comments = createCommentService(deps)
  const records = createRecordService(deps)
  const changes = createChanges(deps)
  const queries = createQueries(deps)
  const forScores = createScoreAccess()
  return {
    violations: violations.violations,
    violationTypes: violations.violationTypes,
    addComment: comments.addComment,
    assertViolation: comments.assertViolation,
    listComments: comments.listComments,
    recordsEnd: records.recordsEnd,
    violationsAfter: records.violationsAfter,
    reclassificationsAfter: records.reclassificationsAfter,
    amendmentsAfter: records.amendmentsAfter,
    reclassify: changes.reclassify,
    erase: changes.erase,
    list: queries.list,
    listAmendments: queries.listAmendments,
    pendingOf: forScores.pendingOf,
    settle: forScores.settle,
    countApplied: forScores.countApplied,
  }
}

function createChanges(deps: ReclassificationDeps) {
  return {
    /**
     * Irreversible; of two concurrent requests one succeeds. Scores follow at their next
     * computation.
     */
    reclassify: (
      wanted: NewReclassification,
      actor: Actor,
      key: ReclassifyingKey | undefined,
    ): Promise<Reclassification> =>
      transact(deps.db, async (tx) => {
        // Locked until commit, so that reclassifications of one agent are serialised.
        const { orgId, cardVersion } = await deps.agents.lockOpen(tx, wanted.agentId)
        const { agentId, checkpointId, cardAmendmentId, reason } = wanted
        const agent = { orgId, agentId, activeVersion: cardVersion }
        const checked = await checkReclassification(deps, tx, { wanted, agent, key })
        const { originalType, newType } = checked
        const marked = await deps.checkpoints.markReclassified(tx, {
          agentId,
          checkpointId,
          newType,
        })
        if (!marked) throw alreadyReclassified()
        const reclassification: Reclassification = {
          agentId,
          checkpointId,
          originalType,
          newType,
          reason,
          cardAmendmentId,
          reclassificationId: newId('rcl'),
          approvedBy: actor.userId,
          createdAt: deps.clock.now(),
          scoreBefore: await deps.scores.publishedScore(tx, agentId),
          scoreAfter: null,
          recomputedAt: null,
        }
        await createReclassificationStore(tx).insert(reclassification)
        const { reclassificationId, createdAt } = reclassification
        await deps.log.add(tx, [
          {
            type: 'reclassification',
            recordId: reclassificationId,
            orgId,
            agentId,
            record: {
              reclassification_id: reclassificationId,
              checkpoint_id: checkpointId,
              agent_id: agentId,
              new_type: newType,
              at: createdAt.toISOString(),
            },
            at: createdAt,
          },
        ])
        if (newType === 'card_gap') await deps.scores.changed(tx, [agentId])
        await deps.audit.record(tx, {
          orgId,
          action: 'violation.reclassified',
          actor,
          target: { type: 'checkpoint', id: checkpointId },
          changes: { type: { from: originalType, to: newType } },
        })
        return reclassification
      }),

    async erase(tx: Db, agentId: AgentId): Promise<void> {
      await createReclassificationStore(tx).deleteOfAgent(agentId)
      await createCommentStore(tx).deleteOfAgent(agentId)
    },
  }
}

type Checking = {
  wanted: NewReclassification
  agent: AmendedAgent
  /** Undefined for a person. */
  key: ReclassifyingKey | undefined
}

/**
 * Returns the original and the new type, or throws the reason for refusing (spec: control §1.2).
 */
async function checkReclassification(
  deps: ReclassificationDeps,
  tx: Db,
  { wanted, agent, key }: Checking,
): Promise<{ originalType: string; newType: ReclassifiedType }> {
  const { agentId, checkpointId, cardAmendmentId } = wanted
  const found = await deps.checkpoints.findViolation(tx, { agentId, checkpointId })
  if (found === undefined) {
    throw new Problem('checkpoint_not_found', 'The agent has no such checkpoint.')
  }
  const originalType = found.violationType
  if (originalType === null)
    throw invalidField('checkpoint_id', 'The checkpoint is not a violation.')
  const known = await createReclassificationStore(tx).knownOf(agentId, [checkpointId])
  if (known.size > 0) throw alreadyReclassified()
  const amendment =
    cardAmendmentId === null
      ? undefined
      : await findAmendment(deps, tx, { ...agent, amendmentId: cardAmendmentId })
  const concernTypes = found.concerns.flatMap((one) =>
    one.severity === 'low' ? [] : [concernType(one)],
  )
  const choice = chooseReclassification({
    originalType,
    concernTypes,
    amended: amendment !== undefined,
    asked: wanted.newType,
  })
  if (!choice.allowed) {
    const types = [...new Set([originalType, ...concernTypes])].join(', ')
    throw invalidField(
      'new_type',
      `A violation of ${types} can become a card gap only with an amendment of the card.`,
    )
  }
  if (choice.newType === 'card_gap' && amendment !== undefined) {
    assertMayExcuse(key, found)
    await assertApplies(deps, tx, { agentId, checkpoint: found, amendment })
  }
  return { originalType, newType: choice.newType }
}

function alreadyReclassified(): Problem {
  return new Problem('already_reclassified', 'The checkpoint is already reclassified.')
}

function createQueries(deps: ReclassificationDeps) {
  const store = createReclassificationStore(deps.db)
  return {
    list: (agentId: string, page: PageRequest): Promise<Page<Reclassification>> =>
      store.list(agentId, page),

    async listAmendments(agentId: string, request: PageRequest): Promise<Page<LinkedAmendment>> {
      const page = await deps.cards.listAmendments(agentId, request)
      return { ...page, items: await withLinks(store, agentId, page.items) }
    },
  }
}

/** Used by the scores. */
function createScoreAccess() {
  return {
    pendingOf: (db: Db, agentIds: readonly string[]): Promise<Reclassification[]> =>
      createReclassificationStore(db).listPending(agentIds),
    settle: (tx: Db, settled: readonly Settled[], at: Date): Promise<void> =>
      createReclassificationStore(tx).settle(settled, at),
    countApplied: (db: Db, agentId: string): Promise<number> =>
      createReclassificationStore(db).countApplied(agentId),
  }
}
