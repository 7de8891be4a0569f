import type { StoredRow } from '@touchstone/protocol/evidence'
import type { Fault, Milestone, Walk } from './chain-walk.ts'
import type { Plan } from './sample.ts'

/** The rows of a plan as they are stored now, in order of position. */
export type Present = {
  plan: Plan
  length: number
  rows: readonly StoredRow[]
  head: Omit<Walk, 'position'>
  audited: Walk
}

/**
 * The first contradiction between the rows, the end of the last audit and the head, which no row
 * shows by itself: rows that are missing, numbers of leaves that leave a gap, an end that was moved.
 */
export function contradictionOf(present: Present): Fault | undefined {
  const { length, rows, audited } = present
  if (length < audited.position) return { position: length, what: 'cut_off' }
  return missing(present) ?? rewritten(rows, audited) ?? leafGap(present) ?? wrongHead(present)
}

function missing({ plan, length, rows }: Present): Fault | undefined {
  const stored = new Set(rows.map(({ seal }) => seal.position))
  const absent = plan.sampled.find((position) => !stored.has(position))
  if (absent !== undefined) return { position: absent, what: 'position' }
  for (let position = plan.tailFrom; position < length; position++) {
    if (!stored.has(position)) return { position, what: 'position' }
  }
  return undefined
}

/** The checkpoint after the end of the audit names the hash that the audit saw there. */
function rewritten(
  rows: readonly StoredRow[],
  { position, chainHash }: Milestone,
): Fault | undefined {
  const next = rows.find(({ seal }) => seal.position === position)
  if (next === undefined || position === 0 || next.before === chainHash) return undefined
  return { position: position - 1, what: 'rewritten' }
}

function leafGap({ plan, rows, audited, head }: Present): Fault | undefined {
  const tail = rows.filter(({ seal }) => seal.position >= plan.tailFrom)
  let expected = plan.tailFrom === audited.position ? audited.leafCount : undefined
  for (const { seal } of tail) {
    if (seal.leafIndex === null) continue
    if (expected !== undefined && seal.leafIndex !== expected) {
      return { position: seal.position, what: 'leaf_index' }
    }
    expected = seal.leafIndex + 1
  }
  const isEnd = expected === undefined || expected === head.leafCount
  return isEnd ? undefined : { position: plan.tailFrom + tail.length, what: 'head' }
}

/** Without a tail, the head must be the end of the audit. */
function wrongHead({ length, rows, head, audited }: Present): Fault | undefined {
  const last = rows.find(({ seal }) => seal.position === length - 1)?.seal.chainHash
  const expected = length === audited.position ? audited.chainHash : (last ?? null)
  return head.chainHash === expected ? undefined : { position: length, what: 'head' }
}
