import type { TileReader } from '@touchstone/protocol/log'
import type { Db } from '../../../kernel/db.ts'

export type Checkpoint = { size: number; note: string; createdAt: Date }

export type Checkpoints = {
  /** Undefined before the first round. */
  findNewest(): Promise<Checkpoint | undefined>
  find(size: number): Promise<Checkpoint | undefined>
  /** The oldest that holds this many entries. */
  findHolding(entries: number): Promise<Checkpoint | undefined>
}

export type Log = {
  /** Reads with this connection, so that a transaction does not need a second one. */
  checkpoints(db: Db): Checkpoints
  readTile: TileReader
}

/** A guarded call; rejects if there is no complete response in time. */
export type Outbound = (call: {
  url: string
  method: 'POST'
  headers: Record<string, string>
  body: string
  timeoutMs: number
  maxBytes: number
  overflow: 'fail'
}) => Promise<{
  status: number
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: Uint8Array
}>

export type Orgs = {
  /** Every organisation that is not deleted, with the account that its events are sent to. */
  listAccounts(tx: Db): Promise<readonly { orgId: string; accountId: string }[]>
}
