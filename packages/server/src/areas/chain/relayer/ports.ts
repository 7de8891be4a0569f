import type { Db } from '../../../kernel/db.ts'
import type { Kind, Mined } from './transaction.ts'

/** What became of a transaction. `gone`: it was mined, and the chain has lost it again. */
export type Outcome =
  | { became: 'mined'; chainId: number; mined: Mined }
  | { became: 'gone' }
  | { became: 'failed' }

/** Those who wait for a transaction write down what became of it, in the same transaction. */
export type Waiting = (tx: Db, subject: string, outcome: Outcome) => Promise<void>

export type Waiters = Partial<Record<Kind, Waiting>>

export type Mailer = {
  queue(tx: Db, mail: { kind: string; to: string; subject: string; text: string }): Promise<void>
}
