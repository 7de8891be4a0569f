import type { Hex } from '@touchstone/protocol/chain'
import type { Db } from '../kernel/db.ts'

/** Sends transactions of one kind to one contract. */
export type Relay<Kind extends string, Contract extends string> = {
  /** Starts the chain if it is not running; throws `chain_unavailable`. */
  contracts(): Promise<{ chainId: number } & Record<Contract, Hex>>
  /** Call after `contracts`. Returns the transaction's id. */
  submit(
    tx: Db,
    wanted: { kind: Kind; subject: string; to: Hex; data: Hex },
  ): Promise<string | undefined>
  /** Waits until it is mined; otherwise throws the problem to report. */
  follow(transactionId: string): Promise<unknown>
}

export type MinedTransaction = {
  txHash: Hex
  blockNumber: number
  txIndex: number
  blockAt: Date
  gasUsed: number
}

/** The outcome of a transaction. `gone`: it was mined and then lost in a reorganisation. */
export type RelayOutcome =
  | { became: 'mined'; mined: MinedTransaction }
  | { became: 'gone' }
  | { became: 'failed' }
