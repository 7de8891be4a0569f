// Records, and whether they open the entries of the log.
import { createHmac } from 'node:crypto'
import { canonical, fault, leafHash, records, sha256 } from './common.mjs'
import { createEdge } from './tree.mjs'

const KINDS = {
  decisions: 'decisions',
  outcomes: 'outcome',
  approvals: 'approval',
  checkpoints: 'checkpoint',
  policies: 'policy',
  containment: 'containment',
  reclassifications: 'reclassification',
  scores: 'score',
}

export const opened = new Set()
export const counts = {}

// Whether a record opens its entry: the hash in the entry is keyed by the nonce.
function open(value, where, entries) {
  const entry = entries.own.get(value.index) ?? entries.proven.get(value.index)
  const nonce = Buffer.from(String(value.nonce), 'hex')
  const hash = createHmac('sha256', nonce).update(canonical(value.record)).digest('hex')
  if (entry === undefined)
    fault(`${where}: the pack has no entry ${value.index} of the organisation`)
  else if (entry.hash !== hash) fault(`${where}: the record is not that of entry ${value.index}`)
  else if (opened.has(value.index)) fault(`${where}: entry ${value.index} is opened twice`)
  else if (entry.type !== value.type) fault(`${where}: entry ${value.index} is ${entry.type}`)
  opened.add(value.index)
}

const sha256Hex = (text) => sha256(text).toString('hex')

// Whether what a record was made of has the hash that the record has.
const DETAIL_CHECKS = {
  checkpoint: ({ record, detail }) => record.record_hash === sha256Hex(canonical(detail)),
  containment: ({ record, detail }) =>
    record.entry_hash === sha256Hex(`${detail.previous}\n${canonical(detail.entry)}`),
  policy: ({ record, detail }) =>
    record.document_hash === (detail.document && sha256Hex(canonical(detail.document))),
}

export async function readRecords(entries) {
  for (const [name, type] of Object.entries(KINDS)) {
    counts[name] = 0
    if (type === 'decisions') {
      await readDecisions(entries)
      continue
    }
    for await (const { value, where } of records(`records/${name}.ndjson`)) {
      counts[name] += 1
      if (value.type !== type) fault(`${where}: not a record of type ${type}`)
      else open(value, where, entries)
      const check = DETAIL_CHECKS[type]
      if (value.detail && check && !check(value)) {
        fault(`${where}: the detail is not what the record has the hash of`)
      }
    }
  }
}

function merkleRoot(leaves) {
  const edge = createEdge()
  for (const leaf of leaves) edge.push(leaf, 0)
  return leaves.length === 0 ? sha256('') : edge.root()
}

// Ends a batch: every statement is there, and they lead to the root that was logged.
function endBatch(batch) {
  if (batch === undefined) return
  const { value, where, leaves } = batch
  const { size, root } = value.record
  for (let place = 0; place < size; place += 1) {
    if (!leaves.has(place)) {
      fault(
        `${where}: decision ${place + 1} of ${size} in the batch of entry ${value.index} is missing`,
      )
      return
    }
  }
  const ordered = [...leaves].sort(([a], [b]) => a - b).map(([, leaf]) => leaf)
  if (ordered.length !== size || merkleRoot(ordered).toString('hex') !== root) {
    fault(`${where}: the decisions are not those of the batch of entry ${value.index}`)
  }
}

async function readDecisions(entries) {
  let batch
  for await (const { value, where } of records('records/decisions.ndjson')) {
    if (value.kind === 'batch') {
      endBatch(batch)
      batch = { value, where, leaves: new Map() }
      open(value, where, entries)
      continue
    }
    if (batch === undefined || value.batch !== batch.value.index) {
      fault(`${where}: the line of the batch of entry ${value.batch} is missing`)
      continue
    }
    const isErased = value.kind === 'erased'
    if (!isErased) counts.decisions += 1
    const leaf = isErased
      ? Buffer.from(String(value.leaf), 'hex')
      : leafHash(canonical(value.statement))
    batch.leaves.set(value.place, leaf)
  }
  endBatch(batch)
}
