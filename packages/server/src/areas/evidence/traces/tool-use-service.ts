import { type Db, sqlState, transact } from '../../../kernel/db.ts'
import { Problem } from '../../../kernel/problem.ts'
import { type CountedToolUse, type CountQuery, countToolUse } from './tool-history-store.ts'

/** As for counting decisions (spec: governance §2.5). */
const STATEMENT_MS_MAX = 20_000
const QUERY_CANCELED = '57014'

/** Counts the tools of an agent's traces, of which each can name many. */
export function createToolUse({ db }: { db: Db }, statementMsMax = STATEMENT_MS_MAX) {
  return {
    async count(
      wanted: Omit<CountQuery, 'statementMsMax'>,
    ): Promise<{ traces: number; uses: CountedToolUse[] }> {
      try {
        return await transact(db, (tx) => countToolUse(tx, { ...wanted, statementMsMax }))
      } catch (err) {
        if (sqlState(err) !== QUERY_CANCELED) throw err
        const message = 'Counting the traces took too long; choose a shorter period.'
        throw new Problem('unavailable', message, { cause: err })
      }
    },
  }
}
