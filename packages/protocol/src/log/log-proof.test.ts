import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { bytesToHex } from '../base/encoding.ts'
import { leafHash } from '../merkle/merkle.ts'
import { checkpointBody } from './checkpoint-body.ts'
import { createLogEntry, writeLogEntry } from './entry.ts'
import { describeProven, type LogProof, verifyLogProof } from './log-proof.ts'
import { cosign, testKey, tileStore } from './logs.fixture.ts'
import { signNote } from './signed-note.ts'
import { appendToTiles, inclusionProofFromTiles } from './tile-tree.ts'
import { NO_QUORUM, type TlogPolicy } from './tlog-policy.ts'
import { writeTlogProof } from './tlog-proof.ts'

const ORIGIN = 'log.example/log'
const INDEX = 2
const log = testKey(ORIGIN, 'ed25519', 1)
const witness = testKey('w1.example', 'cosignature', 2)
const policy: TlogPolicy = {
  logs: [{ key: log.key }],
  witnesses: [{ name: 'w1', key: witness.key }],
  groups: [],
  quorum: 'w1',
}
const salt = new Uint8Array(32).fill(9)
const record = { checkpoint_id: 'ic-1', agent_id: 'clerk' }

let given: LogProof
let alone: LogProof

beforeAll(async () => {
  const at = new Date('2026-03-01T12:00:00.000Z')
  const event = { type: 'checkpoint', recordId: 'ic-1', record, at, salt, orgSalt: salt } as const
  const { entry, nonce } = createLogEntry(event)
  const bytes = writeLogEntry(entry)
  const others = ['a', 'b', 'c', 'd'].map((text) => new TextEncoder().encode(text))
  const leaves = [...others.slice(0, INDEX), bytes, ...others.slice(INDEX)].map(leafHash)
  const store = tileStore()
  const growth = await appendToTiles({ size: 0, leaves }, store.read)
  store.store(growth.tiles)
  const body = checkpointBody({ origin: ORIGIN, size: leaves.length, root: growth.root })
  const signed = signNote(body, log)
  const hashes = await inclusionProofFromTiles({ index: INDEX, size: leaves.length }, store.read)
  const proofUnder = (checkpoint: string): LogProof => ({
    index: INDEX,
    entry,
    nonce: bytesToHex(nonce),
    record,
    proof: writeTlogProof({ extra: bytes, index: INDEX, hashes, checkpoint }),
  })
  given = proofUnder(`${signed}${cosign(body, witness, 10)}`)
  alone = proofUnder(signed)
})

describe('a record with its proof', () => {
  it('says where it is, and who cosigned', () => {
    const verified = verifyLogProof(JSON.parse(JSON.stringify(given)), policy)
    expect(verified).toMatchObject({
      ok: true,
      value: { origin: ORIGIN, index: 2, size: 5, record, cosignedBy: ['w1.example'] },
    })
    expect(verified.ok && describeProven(verified.value)).toBe(
      'in the log at index 2, cosigned by w1.example',
    )
  })

  it('needs the quorum of the policy', () => {
    expect(verifyLogProof(alone, policy)).toMatchObject({ ok: false })
    const own = verifyLogProof(alone, { ...policy, quorum: NO_QUORUM })
    expect(own.ok && describeProven(own.value)).toBe('in the log at index 2, not cosigned')
  })

  it('is verified up to the checkpoint without a policy, and says so', () => {
    const verified = verifyLogProof(alone)
    expect(verified).toMatchObject({ ok: true, value: { cosignedBy: null } })
    expect(verified.ok && describeProven(verified.value)).toMatch(/checkpoint not verified$/)
  })

  it('fails if any of its parts is changed', () => {
    const changes: Record<string, unknown>[] = [
      { index: 1 },
      { nonce: bytesToHex(salt) },
      { nonce: 'none' },
      { record: { ...record, agent_id: 'another' } },
      { record: { ...record, note: 'unlogged' } },
      { record: { ...record, agent_id: '\ud800' } },
      { entry: { ...given.entry, type: 'score' } },
      { entry: { ...given.entry, type: 'nothing' } },
      { entry: { ...given.entry, at: '2026-03-01T12:00:00.001Z' } },
      { entry: { ...given.entry, org: '0'.repeat(32) } },
      { proof: given.proof.replace('index 2', 'index 3') },
      { proof: given.proof.replace('\n5\n', '\n6\n') },
      { extra: 1 },
    ]
    for (const change of changes) {
      const name = JSON.stringify(change)
      expect(verifyLogProof({ ...given, ...change }, policy), name).toMatchObject({ ok: false })
      if ('proof' in change) continue
      expect(verifyLogProof({ ...given, ...change }), name).toMatchObject({ ok: false })
    }
  })

  it('never throws, whatever it is given', () => {
    fc.assert(
      fc.property(fc.anything(), (anything) => {
        expect(verifyLogProof(anything, policy).ok).toBe(false)
        expect(verifyLogProof({ ...given, record: anything }, policy).ok).toBe(false)
      }),
    )
  })
})
