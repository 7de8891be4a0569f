import type { Db } from '../../../kernel/db.ts'
import { createDecisionUseStore, type DecisionUse } from './decision-use-store.ts'
import type { AnalysedSubmission } from './placement.ts'

/**
 * The decisions that the agents' checkpoints name, each of which counts for one checkpoint. The
 * chains must be locked, so that nobody else adds to them. Costs nothing if no decision is named.
 */
export async function loadDecisionUses(tx: Db, submissions: readonly AnalysedSubmission[]) {
  const store = createDecisionUseStore(tx)
  const named = submissions.flatMap((one) =>
    claimedBy(one).map((decisionId) => ({ agentId: one.submission.agentId, decisionId })),
  )
  const stored = named.length === 0 ? [] : await store.listUsed(named)
  const used = new Set(stored.map(keyOf))
  const added: DecisionUse[] = []
  return {
    /** A decision of the submission that counts for another checkpoint. */
    findUsed(analysed: AnalysedSubmission): string | undefined {
      const { agentId } = analysed.submission
      return claimedBy(analysed).find((decisionId) => used.has(keyOf({ agentId, decisionId })))
    },

    add(analysed: AnalysedSubmission, position: number): void {
      const { agentId } = analysed.submission
      for (const decisionId of claimedBy(analysed)) {
        used.add(keyOf({ agentId, decisionId }))
        added.push({ agentId, decisionId, position })
      }
    },

    async save(): Promise<void> {
      if (added.length > 0) await store.insert(added)
    },
  }
}

/**
 * The gateway names the decision of a bypass without using it up: the guard's own checkpoint of the
 * same call must still be accepted.
 */
function claimedBy({ submission, source }: AnalysedSubmission): readonly string[] {
  return source.kind === 'gateway' ? [] : submission.decisionIds
}

function keyOf({ agentId, decisionId }: { agentId: string; decisionId: string }): string {
  return `${agentId} ${decisionId}`
}
