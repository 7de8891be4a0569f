import type { Hex } from '@touchstone/protocol/chain'
import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import { createKeysAndAlerts, createLeases } from './lease-store.ts'
import type {
  Attempt,
  Failure,
  Kind,
  Mined,
  NewTransaction,
  State,
  Transaction,
} from './transaction.ts'

type TransactionRow = {
  transaction_id: string
  seq: number
  chain_id: number
  relayer: string
  kind: Kind
  subject: string | null
  to_address: string | null
  data: Buffer
  state: State
  nonce: number | null
  gas_limit: number | null
  replacements: number
  sent_at: Date | null
  touched_at: Date | null
  tx_hash: string | null
  block_number: number | null
  block_hash: string | null
  block_at: Date | null
  gas_used: number | null
  contract_address: string | null
  failure: string | null
  created_at: Date
}

type RelayTables = {
  relay_transaction: TransactionRow
  relay_attempt: {
    tx_hash: string
    transaction_id: string
    raw: Buffer
    max_fee: number
    tip: number
    created_at: Date
  }
}

/** Selects the transactions of one signer on one chain. */
export type Signer = { chainId: number; relayer: Hex }

/** A row as read. If it has changed since, an update has no effect (optimistic locking). */
export type Seen = Pick<Transaction, 'transactionId' | 'state' | 'nonce'>

export function createRelayStore(db: Db) {
  const writes = createWrites(db)
  const reads = createReads(db)
  const leases = createLeases(db)
  const keys = createKeysAndAlerts(db)
  return {
    insert: writes.insert,
    addAttempt: writes.addAttempt,
    markSent: writes.markSent,
    touch: writes.touch,
    markMined: writes.markMined,
    markFinal: writes.markFinal,
    markGone: writes.markGone,
    markFailed: writes.markFailed,
    requeue: writes.requeue,
    purgeFailed: writes.purgeFailed,
    find: reads.find,
    hasOpen: reads.hasOpen,
    listQueued: reads.listQueued,
    listSent: reads.listSent,
    listUnsure: reads.listUnsure,
    listLost: reads.listLost,
    attemptsOf: reads.attemptsOf,
    lastNonce: reads.lastNonce,
    isFollowed: reads.isFollowed,
    findDeployments: reads.findDeployments,
    takeLease: leases.takeLease,
    holdLease: leases.holdLease,
    releaseLease: leases.releaseLease,
    findKey: keys.findKey,
    addKey: keys.addKey,
    raiseAlert: keys.raiseAlert,
    purgeAlerts: keys.purgeAlerts,
  }
}

function createWrites(db: Db) {
  const q = db.withTables<RelayTables>()
  const change = async (seen: Seen, changes: Partial<TransactionRow>): Promise<boolean> => {
    const done = await q
      .updateTable('relay_transaction')
      .set(changes)
      .where('transaction_id', '=', seen.transactionId)
      .where('state', '=', seen.state)
      .where('nonce', 'is not distinct from', seen.nonce)
      .executeTakeFirst()
    return Number(done.numUpdatedRows) === 1
  }
  return {
    /** False if it already exists, which is possible only for deployments. */
    async insert(
      transactionId: string,
      signer: Signer,
      wanted: NewTransaction & { now: Date },
    ): Promise<boolean> {
      const made = await q
        .insertInto('relay_transaction')
        .values({
          transaction_id: transactionId,
          chain_id: signer.chainId,
          relayer: signer.relayer,
          kind: wanted.kind,
          subject: wanted.subject,
          to_address: wanted.to,
          data: bytesOf(wanted.data),
          state: 'queued',
          created_at: wanted.now,
        } as never)
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst()
      return Number(made.numInsertedOrUpdatedRows ?? 0) === 1
    },

    /** INVARIANT: a transaction is stored before it is broadcast. */
    async addAttempt(
      seen: Seen & Pick<Transaction, 'replacements'>,
      attempt: Attempt,
      now: Date,
    ): Promise<boolean> {
      const { transactionId, replacements } = seen
      const times = { sent_at: now, touched_at: now }
      const isOpen = await change(seen, { tx_hash: attempt.txHash, replacements, ...times })
      if (!isOpen) return false
      await q
        .insertInto('relay_attempt')
        .values({
          tx_hash: attempt.txHash,
          transaction_id: transactionId,
          raw: bytesOf(attempt.raw),
          max_fee: Number(attempt.fees.maxFee),
          tip: Number(attempt.fees.tip),
          created_at: now,
        })
        .execute()
      return true
    },

    markSent: (seen: Seen, nonce: number, gasLimit: number): Promise<boolean> =>
      change(seen, { state: 'sent', nonce, gas_limit: gasLimit }),

    touch: (seen: Seen, now: Date): Promise<boolean> => change(seen, { touched_at: now }),

    markMined: (seen: Seen, mined: Mined): Promise<boolean> =>
      change(seen, {
        state: 'mined',
        tx_hash: mined.txHash,
        block_number: mined.blockNumber,
        block_hash: mined.blockHash,
        block_at: mined.blockAt,
        gas_used: mined.gasUsed,
        contract_address: mined.contractAddress,
      }),

    markFinal: (seen: Seen): Promise<boolean> => change(seen, { state: 'final' }),

    /** Marks it as sent again; transactions signed for its nonce stay valid. */
    markGone: (seen: Seen, now: Date): Promise<boolean> =>
      change(seen, {
        state: 'sent',
        sent_at: now,
        touched_at: now,
        replacements: 0,
        block_number: null,
        block_hash: null,
        block_at: null,
        gas_used: null,
      }),

    /** A reverted transaction has used its nonce; any other failure releases it. */
    async markFailed(seen: Seen, failure: Failure, usedNonce: boolean): Promise<boolean> {
      const freed = usedNonce ? {} : { nonce: null }
      const isDone = await change(seen, { state: 'failed', failure, ...freed })
      if (!isDone || usedNonce) return isDone
      const { transactionId } = seen
      await q.deleteFrom('relay_attempt').where('transaction_id', '=', transactionId).execute()
      return true
    },

    /** Queues it to be signed again with another nonce. Earlier attempts stay stored. */
    requeue: (seen: Seen): Promise<boolean> =>
      change(seen, {
        state: 'queued',
        nonce: null,
        gas_limit: null,
        replacements: 0,
        tx_hash: null,
        sent_at: null,
        touched_at: null,
      }),

    async purgeFailed(before: Date): Promise<number> {
      const gone = await q
        .deleteFrom('relay_transaction')
        .where('state', '=', 'failed')
        .where('created_at', '<', before)
        .where('nonce', 'is', null)
        .executeTakeFirst()
      return Number(gone.numDeletedRows)
    },
  }
}

function createReads(db: Db) {
  const q = db.withTables<RelayTables>()
  const of = (signer: Signer) =>
    q
      .selectFrom('relay_transaction')
      .selectAll()
      .where('chain_id', '=', signer.chainId)
      .where('relayer', '=', signer.relayer)
  return {
    async find(transactionId: string): Promise<Transaction | undefined> {
      const row = await q
        .selectFrom('relay_transaction')
        .selectAll()
        .where('transaction_id', '=', transactionId)
        .executeTakeFirst()
      return row && toTransaction(row)
    },

    async hasOpen(signer: Signer): Promise<boolean> {
      const found = await sql<{ open: boolean }>`select exists (select 1 from relay_transaction
        where chain_id = ${signer.chainId} and relayer = ${signer.relayer}
          and state in ('queued', 'sent')) as open`.execute(q)
      return found.rows[0]?.open === true
    },

    async listQueued(signer: Signer, limit: number): Promise<Transaction[]> {
      const rows = await of(signer)
        .where('state', '=', 'queued')
        .orderBy('seq')
        .limit(limit)
        .execute()
      return rows.map(toTransaction)
    },

    /** In nonce order. */
    async listSent(signer: Signer, limit: number): Promise<Transaction[]> {
      const rows = await of(signer)
        .where('state', '=', 'sent')
        .orderBy('nonce')
        .limit(limit)
        .execute()
      return rows.map(toTransaction)
    },

    /** Mined at or below that block and not confirmed yet. */
    async listUnsure(signer: Signer, blockMax: number, limit: number): Promise<Transaction[]> {
      const rows = await of(signer)
        .where('state', '=', 'mined')
        .where('block_number', '<=', blockMax)
        .orderBy('block_number')
        .limit(limit)
        .execute()
      return rows.map(toTransaction)
    },

    /**
     * Transactions reported as mined, including reverted ones, whose nonce the chain has not
     * reached. In nonce order.
     */
    async listLost(signer: Signer, nextNonce: number, limit: number): Promise<Transaction[]> {
      const rows = await of(signer)
        .where('state', 'in', ['mined', 'final', 'failed'])
        .where('nonce', '>=', nextNonce)
        .orderBy('nonce')
        .limit(limit)
        .execute()
      return rows.map(toTransaction)
    },

    async attemptsOf(transactionId: string): Promise<Attempt[]> {
      const rows = await q
        .selectFrom('relay_attempt')
        .selectAll()
        .where('transaction_id', '=', transactionId)
        .orderBy('created_at', 'desc')
        .orderBy('max_fee', 'desc')
        .execute()
      return rows.map((row) => ({
        txHash: row.tx_hash as Hex,
        raw: hexOf(row.raw),
        fees: { maxFee: BigInt(row.max_fee), tip: BigInt(row.tip) },
      }))
    },

    /** The highest nonce in use. */
    async lastNonce(signer: Signer): Promise<number | undefined> {
      const row = await of(signer)
        .where('nonce', 'is not', null)
        .orderBy('nonce', 'desc')
        .limit(1)
        .executeTakeFirst()
      return row?.nonce ?? undefined
    },

    /** Whether a transaction with a higher nonce is sent: then this nonce must not stay unused. */
    async isFollowed(transactionId: string): Promise<boolean> {
      const found = await sql`select 1 from relay_transaction own
        join relay_transaction other on other.chain_id = own.chain_id
          and other.relayer = own.relayer and other.nonce > own.nonce
        where own.transaction_id = ${transactionId} limit 1`.execute(q)
      return found.rows.length === 1
    },

    async findDeployments(signer: Signer): Promise<Transaction[]> {
      const rows = await of(signer)
        .where('kind', 'in', ['deploy_anchor', 'deploy_registry'])
        .where('state', '<>', 'failed')
        .orderBy('seq')
        .execute()
      return rows.map(toTransaction)
    },
  }
}

function toTransaction(row: TransactionRow): Transaction {
  return {
    transactionId: row.transaction_id,
    kind: row.kind,
    subject: row.subject,
    to: row.to_address as Hex | null,
    data: hexOf(row.data),
    state: row.state,
    nonce: row.nonce,
    gasLimit: row.gas_limit,
    replacements: row.replacements,
    sentAt: row.sent_at,
    touchedAt: row.touched_at,
    txHash: row.tx_hash as Hex | null,
    blockNumber: row.block_number,
    blockHash: row.block_hash as Hex | null,
    contractAddress: row.contract_address as Hex | null,
    failure: row.failure as Failure | null,
  }
}

function bytesOf(hex: Hex): Buffer {
  return Buffer.from(hex.slice(2), 'hex')
}

function hexOf(bytes: Buffer): Hex {
  return `0x${bytes.toString('hex')}`
}
