import { describe, expect, it } from 'vitest'
import { bytesToBase64, hexToBytes } from '../base/encoding.ts'
import { leafHash, merkleRoot } from '../merkle/merkle.ts'
import { createMerkleTree } from '../merkle/merkle-tree.ts'
import { checkpointBody } from './checkpoint-body.ts'
import { testKey } from './logs.fixture.ts'
import { createNoteKey } from './note-key.ts'
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

/** Requests of the tests of litewitness, another witness, for a log of Sigsum. */
describe('the requests of the tests of another witness', () => {
  const SIGSUM =
    'sigsum.org/v1/tree/4d6d8825a6bb689d459628312889dfbb0bcd41b5211d9e1ce768b0ff0309e562'
  const sigsum = createNoteKey({
    name: SIGSUM,
    type: 'ed25519',
    publicKey: hexToBytes('ffdc2d4d98e4124d3feaf788c0c2f9abfd796083d1f0495437f302ec79cf100f'),
  })
  /** The hashes of its leaves are 0x2a, a number and zeros. */
  const leaf = (number: number) => bytesToBase64(Uint8Array.of(0x2a, number, ...new Uint8Array(30)))
  const sized = (size: number, root: string, signature: string) =>
    `${SIGSUM}\n${size}\n${root}\n\n— ${SIGSUM} ${signature}\n`
  const one = sized(
    1,
    leaf(0),
    'UgIom7fPZTqpxWWhyjWduBvTvGVqsokMbqTArsQilegKoFBJQjUFAmQ0+YeSPM3wfUQMFSzVnnNuWRTYrajXpNUbIQY=',
  )
  const three = sized(
    3,
    'RcCI1Nk56ZcSmIEfIn0SleqtV7uvrlXNccFx595Iwl0=',
    'UgIom2VbtIcdFbwFAy1n7s6IkAxIY6J/GQOTuZF2ORV39d75cbAj2aQYwyJre36kezNobZs4SUUdrcawfAB8WVrx6go=',
  )
  const five = sized(
    5,
    'QrtXrQZCCvpIgsSmOsah7HdICzMLLyDfxToMql9WTjY=',
    'UgIomw/EOJmWi0i1FQsOj+etB7F8IccFam/jgd6wzRns4QPVmyEZtdvl1U2KEmLOZ/ASRcWJi0tW90dJWAShei7sDww=',
  )
  const toFive = [leaf(2), leaf(3), 'wgiIFdZfYNv6WU1OllBKsWnLYIS/DBMqt8Uh/S4OukE=', leaf(4)]

  it('are judged as there, except that an unknown origin is 404', () => {
    let latest: { size: number; root: Uint8Array } | undefined
    const statuses = [
      { old: 0, hashes: [], checkpoint: one },
      { old: 1, hashes: [leaf(1), leaf(2)], checkpoint: three.replace('6go=', '6gx=') },
      { old: 1, hashes: [leaf(1), leaf(2)], checkpoint: three.replace('6go=', '6gw=') },
      { old: 1, hashes: [leaf(1), leaf(2)], checkpoint: three.replaceAll('e562', 'e563') },
      { old: 1, hashes: [], checkpoint: three },
      { old: 1, hashes: [leaf(1), leaf(9)], checkpoint: three },
      { old: 1, hashes: [leaf(1), leaf(2)], checkpoint: three },
      { old: 1, hashes: toFive, checkpoint: five },
      { old: 3, hashes: toFive, checkpoint: five },
      { old: 0, hashes: [], checkpoint: five },
    ].map(({ old, hashes, checkpoint: note }) => {
      const request = parseAddCheckpoint([`old ${old}`, ...hashes, '', note].join('\n'))
      if (!request.ok) throw new Error(request.reason)
      const judged = judgeAddCheckpoint(request.value, {
        keysOf: (origin) => (origin === SIGSUM ? [sigsum] : []),
        latestOf: () => latest,
      })
      if (judged.status === 200) latest = judged.checkpoint
      return judged.status === 409 ? `409 ${judged.size}` : judged.status
    })
    // The second has base64 with unused bits, which we refuse as malformed before any signature.
    expect(statuses).toEqual([200, 400, 403, 404, 422, 422, 200, '409 3', 200, '409 5'])
  })
})
