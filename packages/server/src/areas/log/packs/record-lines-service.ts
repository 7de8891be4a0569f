import { bytesToHex } from '@touchstone/protocol/base'
import type { LogEntryType } from '@touchstone/protocol/log'
import type { Figures } from './figures.ts'
import type { Period } from './pack.ts'
import type {
  DecisionBatch,
  Decisions,
  Details,
  Entries,
  OpenedRecord,
  Policies,
  PolicyVersion,
} from './ports.ts'
import type { OrgEntries } from './range-service.ts'

/** Writes the records of a pack, one a line, each with what opens its entry. */

export type LineDeps = {
  entries: Entries
  decisions: Decisions
  policies: Policies
  details: Details
}

export type Lines = AsyncGenerator<string>

export type LineContext = {
  orgId: string
  period: Period
  /** The number of entries that the checkpoint of the pack covers. */
  size: number
  orgEntries: OrgEntries
  figures: Figures
  /** Entries before the range of which the pack has a record, such as policies that are still in force. */
  earlier: number[]
}

type Row = Readonly<Record<string, unknown>>

const PAGE = 500
const BATCHES = 100

export function line(value: unknown): string {
  return `${JSON.stringify(value)}\n`
}

/** Records that the log itself keeps. */
export async function* recordLines(
  { entries, details }: LineDeps,
  { orgEntries, figures }: LineContext,
  type: LogEntryType,
): Lines {
  const indexes = orgEntries.ofType(type)
  for (let at = 0; at < indexes.length; at += PAGE) {
    const opened = await entries.openAt(indexes.slice(at, at + PAGE))
    const described = await describe(details, type, opened)
    let text = ''
    for (const one of opened) {
      const time = orgEntries.open(one.index)
      if (time === undefined) continue
      const record = toRecord(one)
      const detail = described.get(one.recordId)
      figures.count(type, time, outcomeOf(record, detail))
      if (type === 'approval') noteAnswer(figures, record)
      text += line({ ...opening(one, record), ...(detail !== undefined && { detail }) })
    }
    if (text !== '') yield text
  }
}

/** Batches of decisions, each followed by its decisions, or the hashes of those that were erased. */
export async function* decisionLines(
  { entries, decisions }: LineDeps,
  { orgId, period, orgEntries, figures }: LineContext,
): Lines {
  let after: string | undefined
  for (;;) {
    const batches = await decisions.batchesAfter({ orgId, ...period }, after, BATCHES)
    const indexes = await entries.indexesOf(
      'decisions',
      batches.map(({ root }) => root),
    )
    const logged = new Map(
      (await entries.openAt([...indexes.values()])).map((one) => [one.recordId, one]),
    )
    for (const batch of batches) {
      const opened = logged.get(batch.root)
      if (opened === undefined || orgEntries.open(opened.index) === undefined) continue
      yield batchLines(batch, opened, figures)
    }
    if (batches.length < BATCHES) return
    after = batches.at(-1)?.batchId
  }
}

function batchLines(batch: DecisionBatch, opened: OpenedRecord, figures: Figures): string {
  const { index } = opened
  const known = new Map(batch.decisions.map((one) => [one.index, one]))
  const { keyId, signature } = batch
  let text = line({
    kind: 'batch',
    ...opening(opened, toRecord(opened)),
    signature: { algorithm: 'Ed25519', key_id: keyId, value: signature },
  })
  for (const [place, leaf] of batch.leaves.entries()) {
    const decision = known.get(place)
    const kind = decision === undefined ? 'erased' : 'decision'
    if (decision !== undefined) noteDecision(figures, decision.statement)
    text += line({
      kind,
      batch: index,
      place,
      ...(decision === undefined
        ? { leaf: bytesToHex(leaf) }
        : { statement: decision.statement, context: decision.context }),
    })
  }
  return text
}

/** Policies that changed in the period, and those that were in force when it began. */
export async function* policyLines(
  { entries, policies }: LineDeps,
  { orgId, period, size, orgEntries, figures, earlier }: LineContext,
): Lines {
  // The log grows meanwhile, and the checkpoint cannot prove the entries after it.
  const covered = (await entries.policiesOf(orgId)).filter(({ index }) => index < size)
  const logged = covered.map((one) => ({ one, ...policyOf(one) }))
  for (let at = 0; at < logged.length; at += PAGE) {
    const page = logged.slice(at, at + PAGE)
    // The version after a version says how long it was in force.
    const wanted = page.flatMap(({ policyId, version }) => [
      { policyId, version },
      { policyId, version: version + 1 },
    ])
    const found = new Map(
      (await policies.findVersions(wanted)).map((one) => [`${one.policyId}/${one.version}`, one]),
    )
    for (const { one, policyId, version } of page) {
      const stored = found.get(`${policyId}/${version}`)
      const until = found.get(`${policyId}/${version + 1}`)?.updatedAt
      if (stored === undefined || !isInForce(stored, until, period)) continue
      if (orgEntries.open(one.index) === undefined) earlier.push(one.index)
      const record = toRecord(one)
      figures.count('policy', stored.updatedAt.toISOString())
      yield line({
        ...opening(one, record),
        detail: {
          in_force_from: stored.updatedAt.toISOString(),
          in_force_until: until?.toISOString() ?? null,
          document: stored.document,
        },
      })
    }
  }
}

function isInForce({ updatedAt }: PolicyVersion, until: Date | undefined, { from, to }: Period) {
  return updatedAt < to && (until === undefined || until > from)
}

function policyOf({ recordId }: OpenedRecord) {
  const split = recordId.lastIndexOf('/')
  return { policyId: recordId.slice(0, split), version: Number(recordId.slice(split + 1)) }
}

async function describe(
  details: Details,
  type: LogEntryType,
  opened: readonly OpenedRecord[],
): Promise<ReadonlyMap<string, object>> {
  if (type === 'checkpoint') return details.checkpoints(opened.map(({ recordId }) => recordId))
  if (type !== 'containment') return new Map()
  return details.containment(
    opened.flatMap(({ agentId, recordId }) =>
      agentId === null ? [] : [{ agentId, entryId: recordId }],
    ),
  )
}

function opening({ index, type, recordId, nonce }: OpenedRecord, record: Row) {
  return { index, type, record_id: recordId, nonce: bytesToHex(nonce), record }
}

function toRecord({ record }: OpenedRecord): Row {
  return JSON.parse(record)
}

/** The status, the answer, the verdict or the action, if the record has one. */
function outcomeOf(record: Row, detail: object | undefined): string | undefined {
  const { claims, entry } = Object(detail)
  const said = record['status'] ?? record['outcome'] ?? claims?.verdict ?? entry?.action
  return typeof said === 'string' ? said : undefined
}

function noteAnswer(figures: Figures, record: Row): void {
  figures.answer(String(record['escalation_id']), {
    by: String(record['by']),
    outcome: String(record['outcome']),
    at: String(record['at']),
  })
}

function noteDecision(figures: Figures, statement: Row): void {
  const at = String(statement['decided_at'])
  figures.count('decision', at, String(statement['decision']))
  const escalationId = statement['escalation_id']
  if (statement['decision'] !== 'escalate' || typeof escalationId !== 'string') return
  const [agentId, tool] = [String(statement['agent_id']), String(statement['tool'])]
  figures.ask({ escalationId, agentId, tool, at })
}
