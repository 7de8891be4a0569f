import { CONNECT_TEST_SESSION } from '@touchstone/protocol/policy'
import type { Clock } from '../../../kernel/clock.ts'
import { type Db, sqlState, transact } from '../../../kernel/db.ts'
import { Problem } from '../../../kernel/problem.ts'
import { createHistory, type Plans } from './history-service.ts'
import { countDecisionUse, type DecisionUse, type UseQuery } from './use-store.ts'

export type UseDeps = { db: Db; clock: Clock; plans: Plans }

/** A million decisions take about three seconds. */
const STATEMENT_MS_MAX = 20_000
const QUERY_CANCELED = '57014'

/** Counts of an agent's decisions, for learning from them. */
export function createDecisionUse(
  { db, clock, plans }: UseDeps,
  statementMsMax = STATEMENT_MS_MAX,
) {
  const history = createHistory(plans, clock)
  return {
    /** Counts only what the plan shows. */
    async count(query: Omit<UseQuery, 'statementMsMax' | 'testSession'>): Promise<DecisionUse[]> {
      const { start, end } = query.range
      const since = await history.since(query.orgId)
      const shown = since !== undefined && since > start ? since : start
      try {
        const bounds = { range: { start: shown, end }, statementMsMax }
        return await transact(db, (tx) =>
          countDecisionUse(tx, { ...query, ...bounds, testSession: CONNECT_TEST_SESSION }),
        )
      } catch (err) {
        if (sqlState(err) !== QUERY_CANCELED) throw err
        const message = 'Counting the decisions took too long; choose a shorter period.'
        throw new Problem('unavailable', message, { cause: err })
      }
    },
  }
}
