import type { Hex } from '@touchstone/protocol/chain'
import type { Db } from '../kernel/db.ts'

/** Whoever has the chain written to: by transactions of one kind, to one contract. */
export type Relay<Kind extends string, Contract extends string> = {
  /** Starts the chain when it does not run; throws `chain_unavailable`. */
  contracts(): Promise<{ chainId: number } & Record<Contract, Hex>>
  /** After `contracts`. Gives the transaction's id. */
  submit(
    tx: Db,
    wanted: { kind: Kind; subject: string; to: Hex; data: Hex },
  ): Promise<string | undefined>
  /** Until it is mined; throws what a caller is told when it is not. */
  follow(transactionId: string): Promise<unknown>
}

export type MinedTransaction = {
  txHash: Hex
  blockNumber: number
  txIndex: number
  blockAt: Date
  gasUsed: number
}

/** What became of a transaction. `gone`: it was mined, and the chain has lost it again. */
export type RelayOutcome =
  | { became: 'mined'; mined: MinedTransaction }
  | { became: 'gone' }
  | { became: 'failed' }
