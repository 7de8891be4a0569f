import { beforeAll, describe, expect, it } from 'vitest'
import { testDatabase } from '#harness/database.ts'
import type { Db } from '../../../kernel/db.ts'
import { createCommentStore } from './comment-store.ts'
import type { Amendment, ViolatingCheckpoint } from './ports.ts'
import { createRecordService, type RecordSpan } from './record-service.ts'
import { createReclassificationStore, type Reclassification } from './store.ts'
import { linkComment } from './trail.ts'

const AT = new Date('2026-03-01T10:00:00.000Z')
const minutes = (count: number) => new Date(AT.getTime() + count * 60_000)

let db: Db

beforeAll(async () => {
  db = (await testDatabase()).db
})

async function reclassify(agentId: string, number: number, createdAt: Date) {
  const one: Reclassification = {
    agentId,
    reclassificationId: `rcl-${number}`,
    checkpointId: `ic-${number}`,
    originalType: 'UNBOUNDED_ACTION',
    newType: 'card_gap',
    reason: 'The card lacked it.',
    cardAmendmentId: `amend-${number}`,
    approvedBy: 'user-1',
    createdAt,
    scoreBefore: null,
    scoreAfter: null,
    recomputedAt: null,
  }
  await createReclassificationStore(db).insert(one)
}

async function say(agentId: string, number: number, checkpointId: string) {
  const comments = createCommentStore(db)
  const comment = { id: `vc-${number}`, checkpointId, author: 'user-1', text: 'So.', createdAt: AT }
  await comments.insert(agentId, linkComment(comment, await comments.findEnd(agentId)))
}

/** Stub services with violations and amendments 1 and 2. */
function recordsOf(agentId: string) {
  const found = [1, 2].map((number) => ({ ...violating(number), position: number }))
  const amendments = [1, 2].map((number) => amendment(agentId, number))
  return createRecordService({
    db,
    checkpoints: { chainLength: async () => 3, violationsAfter: async () => found },
    cards: {
      lastAmendedVersion: async () => 3,
      amendmentsWithin: async () => [],
      amendmentsAfter: async () => amendments,
    },
    certificates: { certificateHashes: async () => new Map() },
    traces: { policiesOf: async () => new Map() },
  })
}

const violating = (number: number): ViolatingCheckpoint => ({
  checkpointId: `ic-${number}`,
  sessionId: 'sess-1',
  cardId: 'ac-1',
  timestamp: AT,
  receivedAt: AT,
  verdict: 'review_needed',
  violationType: 'UNBOUNDED_ACTION',
  concerns: [{ severity: 'high', description: 'Not allowed.' }],
  excluded: false,
  linkedTraceId: null,
})

const amendment = (agentId: string, number: number): Amendment => ({
  amendmentId: `amend-${number}`,
  agentId,
  field: 'values.declared',
  previousValue: null,
  newValue: [],
  reason: 'It was left out.',
  fromVersion: number,
  toVersion: number + 1,
  createdAt: AT,
  createdBy: 'user-1',
})

const idsOf = (found: readonly Reclassification[]) =>
  found.map(({ reclassificationId }) => reclassificationId)

describe('the records of an agent', () => {
  it('stay as they were at their end, in every section that shows a reclassification', async () => {
    const records = recordsOf('a')
    await reclassify('a', 1, minutes(1))
    await say('a', 1, 'ic-1')
    const end = await records.recordsEnd('a')
    const span: RecordSpan = { agentId: 'a', from: undefined, to: undefined, end }
    const read = async () => [
      await records.violationsAfter(span, undefined, 10),
      await records.reclassificationsAfter(span, undefined, 10),
      await records.amendmentsAfter(span, undefined, 10),
    ]
    const before = await read()
    await reclassify('a', 2, minutes(2))
    await say('a', 2, 'ic-1')
    await say('a', 3, 'ic-2')
    expect(await read()).toEqual(before)
    expect(before).toMatchObject([
      [
        { reclassificationId: 'rcl-1', countsAgainstScore: false, said: { count: 1 } },
        { reclassificationId: null, countsAgainstScore: true, said: { count: 0 } },
      ],
      [{ reclassificationId: 'rcl-1' }],
      [{ linkedReclassificationId: 'rcl-1' }, { linkedReclassificationId: null }],
    ])
  })

  it('that end before the first reclassification show none', async () => {
    const records = recordsOf('b')
    const end = await records.recordsEnd('b')
    expect(end).toEqual({
      reclassification: null,
      commentNumber: 0,
      cardVersion: 3,
      chainLength: 3,
    })
    await reclassify('b', 1, minutes(1))
    const span: RecordSpan = { agentId: 'b', from: undefined, to: undefined, end }
    expect(await records.reclassificationsAfter(span, undefined, 10)).toEqual([])
    const [first] = await records.violationsAfter(span, undefined, 10)
    expect(first?.reclassifiedAs).toBeNull()
  })

  it('continue after the last one read, even among equal timestamps', async () => {
    const records = recordsOf('c')
    for (const [number, at] of [1, 2, 2, 2, 3].entries()) {
      await reclassify('c', number, minutes(at))
    }
    const end = await records.recordsEnd('c')
    const span: RecordSpan = { agentId: 'c', from: undefined, to: undefined, end }
    const found: Reclassification[] = []
    for (;;) {
      const slice = await records.reclassificationsAfter(span, found.at(-1), 2)
      found.push(...slice)
      if (slice.length < 2) break
    }
    expect(idsOf(found)).toEqual(['rcl-0', 'rcl-3', 'rcl-2', 'rcl-1', 'rcl-4'])
    const middle = { ...span, from: minutes(2), to: minutes(2) }
    const within = await records.reclassificationsAfter(middle, undefined, 10)
    expect(idsOf(within)).toEqual(['rcl-3', 'rcl-2', 'rcl-1'])
  })
})
