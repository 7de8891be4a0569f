import { beforeAll, describe, expect, it } from 'vitest'
import { leafHash } from '../merkle/merkle.ts'
import { checkpointBody, hasPossibleRoot } from './checkpoint-body.ts'
import { parseLogCheckpoint } from './log-checkpoint.ts'
import { cosign, testKey, tileStore } from './logs.fixture.ts'
import { verifyByPolicy, verifySignatures } from './policy-check.ts'
import { signNote } from './signed-note.ts'
import { appendToTiles, inclusionProofFromTiles } from './tile-tree.ts'
import type { TlogPolicy } from './tlog-policy.ts'
import { parseTlogProof, type TlogProof, verifyTlogProof, writeTlogProof } from './tlog-proof.ts'

const ORIGIN = 'log.example/log'
const log = testKey(ORIGIN, 'ed25519', 1)
const w1 = testKey('w1.example', 'cosignature', 2)
const w2 = testKey('w2.example', 'cosignature', 3)
const policy: TlogPolicy = {
  logs: [{ key: log.key }],
  witnesses: [
    { name: 'w1', key: w1.key },
    { name: 'w2', key: w2.key },
  ],
  groups: [{ name: 'both', threshold: 2, members: ['w1', 'w2'] }],
  quorum: 'both',
}

const entries = Array.from({ length: 300 }, (_, i) => new TextEncoder().encode(`entry ${i}`))
const entry = (index: number) => entries[index] ?? new Uint8Array()
let body: string
let checkpoint: string
let proof: TlogProof

beforeAll(async () => {
  const store = tileStore()
  const growth = await appendToTiles({ size: 0, leaves: entries.map(leafHash) }, store.read)
  store.store(growth.tiles)
  body = checkpointBody({ origin: ORIGIN, size: 300, root: growth.root })
  checkpoint = `${signNote(body, log)}${cosign(body, w1, 10)}${cosign(body, w2, 20)}`
  const hashes = await inclusionProofFromTiles({ index: 257, size: 300 }, store.read)
  proof = { extra: entry(257), index: 257, hashes, checkpoint }
})

describe('a checkpoint', () => {
  it('is an origin, a size and a root', () => {
    expect(body).toMatch(/^log\.example\/log\n300\n[A-Za-z0-9+/]{43}=\n$/)
    expect(parseLogCheckpoint(checkpoint)).toMatchObject({
      ok: true,
      value: { origin: ORIGIN, size: 300, body },
    })
  })

  it('may have extension lines, which are signed', () => {
    const note = signNote(`${body}extension 1\n`, log)
    expect(verifySignatures(note, policy)).toMatchObject({ ok: true, value: { size: 300 } })
    expect(verifySignatures(note.replace('n 1', 'n 2'), policy)).toMatchObject({ ok: false })
  })

  it.each([
    ['a leading zero', (text: string) => text.replace('\n300\n', '\n0300\n')],
    ['a sign', (text: string) => text.replace('\n300\n', '\n+300\n')],
    ['a size beyond 2^53', (text: string) => text.replace('\n300\n', '\n9007199254740992\n')],
    ['no origin', (text: string) => text.replace(ORIGIN, '')],
    ['two lines', (text: string) => text.replace('300\n', '')],
    ['an empty extension line', (text: string) => text.replace('\n\n', '\n\nx\n\n')],
    ['a root of another length', (text: string) => text.replace(/\n300\n..../, '\n300\n')],
  ])('is refused with %s', (_, change) => {
    expect(parseLogCheckpoint(change(checkpoint))).toMatchObject({ ok: false })
  })

  it('of size 0 has the root of nothing', () => {
    const nothing = leafHash(new Uint8Array())
    expect(hasPossibleRoot({ size: 0, root: nothing })).toBe(false)
    expect(hasPossibleRoot({ size: 1, root: nothing })).toBe(true)
  })

  it('is trusted with the signature of the log and the quorum only', () => {
    expect(verifyByPolicy(checkpoint, policy)).toMatchObject({ ok: true })
    const one = `${signNote(body, log)}${cosign(body, w1, 10)}`
    expect(verifyByPolicy(one, policy)).toEqual({
      ok: false,
      reason: 'the cosignatures do not reach the quorum both',
    })
    expect(verifySignatures(one, policy)).toMatchObject({ ok: true })
    const none = `${body}\n${cosign(body, w1, 10)}${cosign(body, w2, 20)}`
    expect(verifyByPolicy(none, policy)).toMatchObject({ ok: false })
    const other = verifyByPolicy(checkpoint, { ...policy, logs: [] })
    expect(other).toEqual({ ok: false, reason: `checkpoint: unknown log ${ORIGIN}` })
  })

  it('cannot be signed by a known log for the origin of another', () => {
    const other = testKey('other.example/log', 'ed25519', 9)
    const both = { ...policy, logs: [{ key: log.key }, { key: other.key }], quorum: 'none' }
    expect(verifySignatures(signNote(body, other), both)).toMatchObject({ ok: false })
  })
})

describe('a tlog-proof', () => {
  it('verifies the entry under a checkpoint with its quorum', () => {
    const text = writeTlogProof(proof)
    expect(text.startsWith('c2sp.org/tlog-proof@v1\nextra ')).toBe(true)
    const parsed = parseTlogProof(text)
    expect(parsed).toEqual({ ok: true, value: proof })
    const verified = verifyTlogProof(proof, { entry: entry(257), policy })
    expect(verified).toMatchObject({ ok: true, value: { size: 300 } })
  })

  it('fails for another entry, index, path, checkpoint or quorum', () => {
    const verify = (changed: Partial<TlogProof>, at = 257) =>
      verifyTlogProof({ ...proof, ...changed }, { entry: entry(at), policy })
    expect(verify({}, 256)).toMatchObject({ ok: false })
    expect(verify({ index: 256 })).toMatchObject({ ok: false })
    expect(verify({ index: 300 })).toMatchObject({ ok: false })
    expect(verify({ hashes: proof.hashes.slice(1) })).toMatchObject({ ok: false })
    for (const [i, hash] of proof.hashes.entries()) {
      const flipped = Uint8Array.from(hash, (byte, at) => (at === i ? byte ^ 1 : byte))
      expect(verify({ hashes: proof.hashes.with(i, flipped) })).toMatchObject({ ok: false })
    }
    expect(verify({ checkpoint: signNote(body, log) })).toMatchObject({ ok: false })
  })

  it('may come without extra data and with an empty path', () => {
    const small = { index: 0, hashes: [], checkpoint }
    expect(parseTlogProof(writeTlogProof(small))).toEqual({ ok: true, value: small })
  })

  it.each([
    ['another header', (text: string) => text.replace('@v1', '@v2')],
    ['no empty line', (text: string) => text.replaceAll('\n\n', '\n')],
    ['no index', (text: string) => text.replace(/index .*\n/, '')],
    ['an index with a zero in front', (text: string) => text.replace('index ', 'index 0')],
    ['extra data that is not base64', (text: string) => text.replace('extra ', 'extra !')],
    ['extra data twice', (text: string) => text.replace(/(extra .*\n)/, '$1$1')],
    ['a hash that is too short', (text: string) => text.replace(/(index .*\n)..../, '$1')],
    ['64 hashes', (text: string) => text.replace(/(index .*\n)(.*\n)/, `$1${'$2'.repeat(60)}`)],
  ])('is refused with %s', (_, change) => {
    expect(parseTlogProof(change(writeTlogProof(proof)))).toMatchObject({ ok: false })
  })
})
