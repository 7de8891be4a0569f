import {
  assembleDecisionReceipt,
  batchPayload,
  createDecisionBatch,
  decisionLeaf,
  decisionPayload,
  type Reservation,
  signedHead,
} from '@touchstone/protocol/policy'
import type { RawBuilder } from 'kysely'
import { lockedAgent, storeUnlocked } from '../../../database/locked.ts'
import { type BatcherOptions, createBatcher } from '../../../kernel/batcher.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { type Db, isDatabaseDown, transact } from '../../../kernel/db.ts'
import { createTimedUuids, type DecisionId, toDecisionId } from '../../../kernel/ids.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { LogQueue, LogRecord } from '../../../log-record.ts'
import type { DecisionRecord } from './decision-record.ts'
import { createDeferredLedger } from './deferred-ledger-service.ts'
import type { DecisionDurability } from './durability.ts'
import { createKindIds } from './kind-id-service.ts'
import { kindOf } from './kind-store.ts'
import type { Agents, Opening, Signer } from './ports.ts'
import { statementOf } from './receipt.ts'
import { createRecordGroup } from './record-group-service.ts'
import type { CountedDecision, Exceeded, SessionCounters } from './session-counter-service.ts'
import { type Batch, type Recorded, recordedById } from './signed-batch.ts'
import { isStopped } from './stop-event-service.ts'
import { createDecisionStore, type NumberedBatch } from './store.ts'

export type LedgerDeps = {
  db: Db
  clock: Clock
  agents: Agents
  signer(): Promise<Signer>
  log: LogQueue
  /** Emits the events of calls that were stopped, in the transaction that stores their decisions. */
  announceStopped(tx: Db, stopped: readonly DecisionRecord[]): Promise<void>
  sessionCounters: SessionCounters
  /** `after_answer` answers allow and warn first and stores them within 50 ms. */
  durability: DecisionDurability
  /** A decision was answered without its record. */
  onUnrecorded(): void
  onError(err: unknown): void
}

/** The agent is locked by another transaction. */
const LOCKED = 'locked'

/** Undefined for an agent that does not exist. */
type Outcome = Recorded | Exceeded | typeof LOCKED | undefined

/** One statement inserts a batch; larger ones would only hold up the decisions behind them. */
const BATCH_MAX = 500

/**
 * Signs and stores decisions in batches, before they are answered. A batch starts as soon as the one
 * before it has been committed, so a decision waits for at most the batch in flight and its own.
 */
export function createLedger(deps: LedgerDeps) {
  const { db, clock, sessionCounters } = deps
  const writer = createWriter(deps)
  const newUuid = createTimedUuids()

  const sign = (records: readonly DecisionRecord[], signer: Signer): Promise<Batch[]> =>
    Promise.all(
      groupByOrg(records).map((group) => signBatch(group, signer, timeToSign(group, clock.now()))),
    )

  const storeSigned =
    (signer: Signer) =>
    async (to: Db, items: readonly CountedDecision[], counting?: RawBuilder<unknown>) => {
      const records = items.map(({ record }) => record)
      const batches = await sign(records, signer)
      const existing = await writer.write(to, batches, counting)
      const recorded = recordedById(batches)
      return records.map(({ decisionId, agentId }) =>
        existing.has(agentId) ? recorded.get(decisionId) : undefined,
      )
    }

  /** Opens the escalations in the transaction that stores their decisions. */
  const openAndStore = (signer: Signer): ReturnType<typeof storeSigned> => {
    const store = storeSigned(signer)
    return (to, items, counting) => {
      if (items.every(({ opening }) => opening === undefined)) return store(to, items, counting)
      return transact(to, async (tx) => store(tx, await openAll(tx, items), counting))
    }
  }

  const storeCounted = async (items: readonly CountedDecision[]) => {
    // Before a transaction, because reading the key or a kind in it would need a second connection. Ids of
    // kinds are cached, too, even if the transaction is rolled back.
    const store = openAndStore(await deps.signer())
    const hasCounts = items.some(({ reservations }) => reservations.length > 0)
    const hasOpenings = items.some(({ opening }) => opening !== undefined)
    if (hasCounts || hasOpenings) await writer.loadKinds(items.map(({ record }) => record))
    return hasCounts ? sessionCounters.store(items, store) : store(db, items)
  }

  const options: BatcherOptions<CountedDecision, Outcome> = {
    run: (items) =>
      storeUnlocked<CountedDecision, Outcome>(items, {
        store: storeCounted,
        agentOf: ({ record }) => record.agentId,
        async lockedAmong(agentIds) {
          const counted = await sessionCounters.lockedAmong(items)
          return new Set([...counted, ...(await deps.agents.lockedAmong(agentIds))])
        },
        refuse: () => LOCKED,
      }),
    itemsMax: BATCH_MAX,
    ageMsMax: 0,
    failTogether: isDatabaseDown,
  }
  const batcher = createBatcher(options)
  /** Apart, because calls that may be made do not wait for the events of those that are stopped. */
  const stoppedBatcher = createBatcher(options)

  const deferred = createDeferredLedger({
    sign: async (records) => sign(records, await deps.signer()),
    write: async (batches) => void (await writer.write(db, batches)),
    onUnrecorded: deps.onUnrecorded,
    onError: deps.onError,
  })

  /** Counts are taken with the commit, so a call that takes some is never answered before it. */
  const isAnsweredFirst = ({ record: { decision }, reservations }: CountedDecision): boolean =>
    deps.durability === 'after_answer' &&
    (decision === 'allow' || decision === 'warn') &&
    reservations.length === 0

  /** In one transaction; undefined for an agent that does not exist. */
  const recordAll = async (items: readonly CountedDecision[]): Promise<readonly Outcome[]> => {
    if (items.every(isAnsweredFirst)) return deferred.record(items.map(({ record }) => record))
    const { addAll } = items.some(({ record }) => isStopped(record)) ? stoppedBatcher : batcher
    return addAll(items)
  }

  /** A limit that is known to be exceeded needs no transaction. */
  const recorderOf = (record: (item: CountedDecision) => Promise<Recorded | Exceeded>) => ({
    /**
     * Resolves once the decision is committed, with the escalation that it opens. Rejects with
     * `agent_not_found` after an erasure, and with the error of the database if that is not reachable.
     */
    async record(decision: DecisionRecord, opening?: Opening): Promise<Recorded> {
      const recorded = await record({ record: decision, reservations: [], opening })
      if ('exceeded' in recorded) throw new Error('a decision without counts exceeds a limit')
      return recorded
    },

    /**
     * The same for a call that is let through and takes counts. If one of them is not left, nothing is
     * stored and counted.
     */
    async recordCounted(
      decision: DecisionRecord,
      reservations: readonly Reservation[],
    ): Promise<Recorded | Exceeded> {
      const counted = { record: decision, reservations }
      const known = sessionCounters.knownExceeded(counted)
      return known.length > 0 ? { exceeded: known } : record(counted)
    },
  })

  return {
    /** The id of a decision that is about to be recorded. */
    newId: (decidedAt: Date): DecisionId => toDecisionId(`dec-${newUuid(decidedAt.getTime())}`),

    ...recorderOf(async (item) => requireExisting((await recordAll([item]))[0])),

    /** Stores the decisions of a request with several calls in one transaction. */
    group(size: number) {
      const group = createRecordGroup(size, recordAll)
      return {
        member(number: number) {
          const { record, leave } = group.member(number)
          return { ...recorderOf(async (item) => requireExisting(await record(item))), leave }
        },
      }
    },

    /** Signs a decision that is answered although the database is down, and stores it when it is up. */
    recordLater: (decision: DecisionRecord): Promise<Recorded> => deferred.recordLater(decision),

    /** Commits what is waiting, as far as the database is reachable. */
    async stop(): Promise<void> {
      await Promise.all([batcher.stop(), stoppedBatcher.stop()])
      await deferred.stop()
    },
  }
}

/** The escalations are known before their decisions are signed. */
async function openAll(
  tx: Db,
  items: readonly CountedDecision[],
): Promise<readonly CountedDecision[]> {
  const opened = new Map<CountedDecision, string>()
  const bySubject = items
    .flatMap((item) => (item.opening === undefined ? [] : [{ item, opening: item.opening }]))
    .sort((a, b) => (a.opening.subject < b.opening.subject ? -1 : 1))
  for (const { item, opening } of bySubject) opened.set(item, await opening.open(tx))
  return items.map((item) => {
    const escalationId = opened.get(item)
    return escalationId === undefined ? item : { ...item, record: { ...item.record, escalationId } }
  })
}

/** A batch is not signed before its decisions, not even if the clock was set back after one of them. */
function timeToSign(records: readonly DecisionRecord[], now: Date): Date {
  return new Date(Math.max(now.getTime(), ...records.map(({ decidedAt }) => decidedAt.getTime())))
}

/** Signs decisions of one organisation. */
async function signBatch(
  records: readonly DecisionRecord[],
  { keyId, signOnWorker }: Signer,
  signedAt: Date,
): Promise<Batch> {
  const prepared = records.map(prepare)
  const leaves = prepared.map(({ leaf }) => leaf)
  const { head, placeOf } = createDecisionBatch(leaves, signedAt.toISOString())
  const signature = (await signOnWorker(batchPayload(head))).toString('base64')
  return {
    orgId: records[0]?.orgId ?? '',
    signedAt,
    keyId,
    signature,
    leaves,
    head,
    records,
    recorded: prepared.map(({ record, statement, statementText }, index) => ({
      decisionId: record.decisionId,
      escalationId: record.escalationId,
      receipt: assembleDecisionReceipt(statement, placeOf(index), { keyId, signature }),
      statementText,
    })),
  }
}

/** Inserts signed batches. Knows the ids of kinds that were used lately. */
function createWriter({ db, clock, agents, announceStopped, log }: LedgerDeps) {
  const kindIds = createKindIds({ db, clock })
  const loadKinds = (records: readonly DecisionRecord[]) =>
    kindIds.of(new Map(records.map((record) => [keyOf(record), () => kindOf(record)] as const)))
  return {
    loadKinds,

    /** Returns the ids of the agents that exist; decisions about others are not stored. */
    async write(
      to: Db,
      batches: readonly Batch[],
      counting?: RawBuilder<unknown>,
    ): Promise<ReadonlySet<string>> {
      const ids = await loadKinds(batches.flatMap(({ records }) => records))
      const numbered = batches.map(
        ({ head: _head, records, recorded: _, ...batch }): NumberedBatch => {
          const decisions = records.map((record) => ({
            ...record,
            kindId: ids.get(keyOf(record)) ?? unknownKind(),
          }))
          return { ...batch, decisions }
        },
      )
      const stopped = batches.flatMap(({ records }) => records.filter(isStopped))
      const insert = (tx: Db) =>
        createDecisionStore(tx).insert(numbered, {
          selectExisting: agents.selectExisting,
          logging: log.insertion(batches.map(toLogRecord)),
          counting,
        })
      if (stopped.length === 0) return insert(to)
      return transact(to, async (tx) => {
        const existing = await insert(tx)
        await announceStopped(
          tx,
          stopped.filter(({ agentId }) => existing.has(agentId)),
        )
        return existing
      })
    },
  }
}

/** The head of a batch, as it was signed. */
function toLogRecord({ orgId, signedAt, head }: Batch): LogRecord {
  return {
    type: 'decisions',
    recordId: head.root,
    orgId,
    agentId: null,
    record: signedHead(head),
    at: signedAt,
  }
}

function prepare(record: DecisionRecord) {
  const statement = statementOf(record)
  const statementText = decisionPayload(statement)
  return { record, statement, statementText, leaf: decisionLeaf(statementText) }
}

function requireExisting(recorded: Outcome): Recorded | Exceeded {
  if (recorded === LOCKED) throw lockedAgent()
  if (recorded === undefined) throw new Problem('agent_not_found', 'No such agent.')
  return recorded
}

function groupByOrg(records: readonly DecisionRecord[]): DecisionRecord[][] {
  const groups = new Map<string, DecisionRecord[]>()
  for (const record of records) {
    const group = groups.get(record.orgId)
    if (group === undefined) groups.set(record.orgId, [record])
    else group.push(record)
  }
  return [...groups.values()]
}

function unknownKind(): never {
  throw new Error('the kind of a decision was not stored before the decision')
}

/** Equal for equal kinds only: no id and no tool has a line break, and the reasons come last. */
function keyOf(record: DecisionRecord): string {
  const { reasons } = record
  const listed = reasons.length === 0 ? '' : JSON.stringify(reasons)
  return `${record.agentId}\n${record.tool}\n${record.decision}\n${record.verdict}\n${record.enforcementMode}\n${record.agentEnforcementMode}\n${record.policyId}\n${record.policyVersion}\n${record.askedBy}\n${record.source}\n${record.enforced}\n${record.orgId}\n${listed}`
}
