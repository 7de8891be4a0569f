import { type DecisionReceipt, decisionPayload } from '@touchstone/protocol/policy'
import type { Db } from '../../../kernel/db.ts'
import { toDecisionId } from '../../../kernel/ids.ts'
import type { StoredDecision } from './decision-record.ts'
import { receiptsOf } from './receipt.ts'
import { createDecisionStore } from './store.ts'

/** A stored decision as it was answered. */
export type KeptDecision = StoredDecision & { receipt: DecisionReceipt; statementText: string }

/** Decisions with the same call_id within a minute that are compared with a repeated request. */
const REPEATS_MAX = 20

/** Reads decisions that may be answered again (spec: decisions §7). */
export function createKeptDecisions({ db }: { db: Db }) {
  const store = createDecisionStore(db)
  return {
    /** The newest decisions about the caller's own id of a call, newest first. */
    async listOfCall(call: {
      orgId: string
      agentId: string
      callId: string
      since: Date
    }): Promise<KeptDecision[]> {
      const { since: from, ...filter } = call
      const found = await store.list({ ...filter, from }, { before: undefined, limit: REPEATS_MAX })
      return toKept(found)
    },

    async find(orgId: string, decisionId: string): Promise<KeptDecision | undefined> {
      const found = await store.find(orgId, toDecisionId(decisionId))
      return toKept(found === undefined ? [] : [found])[0]
    },
  }
}

function toKept(decisions: readonly StoredDecision[]): KeptDecision[] {
  return receiptsOf(decisions).map((one) => ({
    ...one,
    statementText: decisionPayload(one.receipt.statement),
  }))
}
