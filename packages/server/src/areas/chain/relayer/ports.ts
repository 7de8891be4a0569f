import type { Db } from '../../../kernel/db.ts'
import type { Kind, Mined } from './transaction.ts'

/** The outcome of a transaction. `gone`: it was mined and then lost in a reorganisation. */
export type Outcome =
  | { became: 'mined'; chainId: number; mined: Mined }
  | { became: 'gone' }
  | { became: 'failed' }

/** Called in the same transaction, so that the requester can store the outcome. */
export type OutcomeHandler = (tx: Db, subject: string, outcome: Outcome) => Promise<void>

export type OutcomeHandlers = Partial<Record<Kind, OutcomeHandler>>

export type Mailer = {
  queue(tx: Db, mail: { kind: string; to: string; subject: string; text: string }): Promise<void>
}
