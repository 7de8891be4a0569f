import { describe, expect, it } from 'vitest'
import { leafHash, merkleRoot } from '../merkle/merkle.ts'
import { createMerkleTree } from '../merkle/merkle-tree.ts'
import { checkpointBody } from './log-checkpoint.ts'
import { testKey } from './logs.fixture.ts'
import { signNote } from './signed-note.ts'
import {
  type AddCheckpoint,
  judgeAddCheckpoint,
  parseAddCheckpoint,
  writeAddCheckpoint,
} from './witness-request.ts'

const ORIGIN = 'log.example/log'
const log = testKey(ORIGIN, 'ed25519', 1)
const stranger = testKey(ORIGIN, 'ed25519', 2)
const tree = createMerkleTree()
for (let i = 0; i < 20; i++) tree.append(leafHash(Uint8Array.of(i)))

const checkpoint = (size: number, signer = log) =>
  signNote(checkpointBody({ origin: ORIGIN, size, root: tree.root(size) }), signer)

function judge(request: Partial<AddCheckpoint>, known?: number) {
  const whole = { old: known ?? 0, hashes: [], checkpoint: checkpoint(20), ...request }
  const latest = known === undefined ? undefined : { size: known, root: tree.root(known) }
  return judgeAddCheckpoint(whole, {
    keysOf: (origin) => (origin === ORIGIN ? [log.key] : []),
    latestOf: () => latest,
  })
}

describe('the judgement of a witness', () => {
  const hashes = tree.consistencyProof(7, 20)

  it('is 200 for the first checkpoint, a proven one, and the same again', () => {
    expect(judge({})).toMatchObject({ status: 200, checkpoint: { size: 20 } })
    expect(judge({ hashes }, 7)).toMatchObject({ status: 200, signatures: [{ key: log.key }] })
    expect(judge({}, 20)).toMatchObject({ status: 200 })
    expect(judge({ checkpoint: checkpoint(0) })).toMatchObject({ status: 200 })
    expect(judge({}, 0)).toMatchObject({ status: 200 })
  })

  it('is 404 for an unknown origin, whoever signed and whatever else is wrong', () => {
    const other = testKey('other.example', 'ed25519', 1)
    const body = checkpointBody({ origin: 'other.example', size: 1, root: tree.root(1) })
    expect(judge({ checkpoint: signNote(body, other), old: 9 })).toMatchObject({ status: 404 })
  })

  it('is 403 without a valid signature of a known key, before the sizes are compared', () => {
    expect(judge({ checkpoint: checkpoint(5, stranger), old: 9 }, 7)).toMatchObject({ status: 403 })
    const wrong = checkpoint(5).replace('\n5\n', '\n6\n')
    expect(judge({ checkpoint: wrong, old: 9 }, 7)).toMatchObject({ status: 403 })
  })

  it('is 400 if old is larger than the size, before it is compared with the known size', () => {
    expect(judge({ checkpoint: checkpoint(5), old: 6 }, 7)).toMatchObject({ status: 400 })
    expect(judge({ checkpoint: 'no note' })).toMatchObject({ status: 400 })
  })

  it('is 409 with the known size if old differs, before the proof is verified', () => {
    expect(judge({ old: 8 }, 7)).toMatchObject({ status: 409, size: 7 })
    expect(judge({ old: 0 }, 7)).toMatchObject({ status: 409, size: 7 })
    expect(judge({ old: 3 })).toMatchObject({ status: 409, size: 0 })
  })

  it('is 422 for a proof that does not verify, a second root, a proof from 0, a wrong empty root', () => {
    expect(judge({ hashes: hashes.slice(1) }, 7)).toMatchObject({ status: 422 })
    expect(judge({ hashes: [] }, 7)).toMatchObject({ status: 422 })
    const body = checkpointBody({ origin: ORIGIN, size: 7, root: tree.root(8) })
    const second = { checkpoint: signNote(body, log), hashes: [] }
    expect(judge(second, 7)).toMatchObject({ status: 422, reason: 'same size, but another root' })
    expect(judge({ hashes })).toMatchObject({ status: 422 })
    expect(judge({ hashes: [tree.root()] }, 20)).toMatchObject({ status: 422 })
    const empty = checkpointBody({ origin: ORIGIN, size: 0, root: tree.root(1) })
    expect(judge({ checkpoint: signNote(empty, log) })).toMatchObject({ status: 422 })
    expect(merkleRoot([])).toEqual(tree.root(0))
  })
})

describe('a request to a witness', () => {
  const request = { old: 7, hashes: tree.consistencyProof(7, 20), checkpoint: checkpoint(20) }

  it('is written and read', () => {
    const text = writeAddCheckpoint(request)
    expect(text).toMatch(/^old 7\n([A-Za-z0-9+/]{43}=\n)+\nlog\.example\/log\n20\n/)
    expect(parseAddCheckpoint(text)).toEqual({ ok: true, value: request })
    const first = { old: 0, hashes: [], checkpoint: checkpoint(20) }
    expect(parseAddCheckpoint(writeAddCheckpoint(first))).toEqual({ ok: true, value: first })
  })

  it.each([
    ['', 'must begin with'],
    ['old 7\n', 'must begin with'],
    ['old 07\n\nx', 'must begin with'],
    ['old -1\n\nx', 'must begin with'],
    ['new 7\n\nx', 'must begin with'],
    ['old 7\nAAAA\n\nx', 'at most 63 hashes'],
    [`old 7\n${`${'A'.repeat(43)}=\n`.repeat(64)}\nx`, 'at most 63 hashes'],
  ])('is refused: %j', (text, reason) => {
    const parsed = parseAddCheckpoint(text)
    expect(parsed.ok ? '' : parsed.reason).toContain(reason)
  })
})
