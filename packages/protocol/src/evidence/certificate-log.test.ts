import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { bytesToHex } from '../base/encoding.ts'
import { checkpointBody } from '../log/checkpoint-body.ts'
import { createLogEntry, writeLogEntry } from '../log/entry.ts'
import { cosign, testKey, tileStore } from '../log/logs.fixture.ts'
import { signNote } from '../log/signed-note.ts'
import { appendToTiles, inclusionProofFromTiles } from '../log/tile-tree.ts'
import type { TlogPolicy } from '../log/tlog-policy.ts'
import { writeTlogProof } from '../log/tlog-proof.ts'
import { leafHash } from '../merkle/merkle.ts'
import { type Certificate, certificateHash } from './certificate.ts'
import { type TrustedKey, verifyCertificate } from './verify-certificate.ts'

type Issued = {
  keys: TrustedKey[]
  checkpoints: { certificate: Certificate; certificate_hash: string }[]
}

const vectorFile = (name: string) =>
  fileURLToPath(new URL(`../../../../vectors/attestation/${name}`, import.meta.url))
const { keys, checkpoints }: Issued = JSON.parse(
  readFileSync(vectorFile('certificate-1.1.json'), 'utf8'),
)
/** The vectors that other implementations run; `vitest -u` writes them. */
const FILE = vectorFile('certificate-log.json')

const ORIGIN = 'log.example/log'
const log = testKey(ORIGIN, 'ed25519', 1)
const witness = testKey('w1.example', 'cosignature', 2)
const policy: TlogPolicy = {
  logs: [{ key: log.key }],
  witnesses: [{ name: 'w1', key: witness.key }],
  groups: [],
  quorum: 'w1',
}
const salt = new Uint8Array(32).fill(3)

/** The certificates with their proofs, in a log that has their entries and one before. */
async function logged(): Promise<Certificate[]> {
  const opened = checkpoints.map(({ certificate: { subject, proofs, timestamp } }) => {
    const { chain_hash, position, record_hash } = proofs.chain
    const { agent_id, checkpoint_id } = subject
    const record = { agent_id, chain_hash, checkpoint_id, position, record_hash }
    const at = new Date(timestamp)
    const event = { type: 'checkpoint', recordId: checkpoint_id, record, at } as const
    return { record, ...createLogEntry({ ...event, salt, orgSalt: salt }) }
  })
  const entries = opened.map(({ entry }) => writeLogEntry(entry))
  const leaves = [new Uint8Array([1]), ...entries].map(leafHash)
  const store = tileStore()
  const { tiles, root } = await appendToTiles({ size: 0, leaves }, store.read)
  store.store(tiles)
  const size = leaves.length
  const body = checkpointBody({ origin: ORIGIN, size, root })
  const checkpoint = `${signNote(body, log)}${cosign(body, witness, 1_800_000_000)}`
  return Promise.all(
    checkpoints.map(async ({ certificate }, i) => {
      const { record = {}, entry, nonce = salt } = opened[i] ?? {}
      if (entry === undefined) throw new Error('no entry')
      const index = i + 1
      const hashes = await inclusionProofFromTiles({ index, size }, store.read)
      const proof = writeTlogProof({ extra: entries[i] ?? salt, index, hashes, checkpoint })
      return { ...certificate, log: { index, entry, nonce: bytesToHex(nonce), record, proof } }
    }),
  )
}

const TAMPERED = [
  { name: 'the index', pointer: ['index'], value: 0 },
  { name: 'the nonce', pointer: ['nonce'], value: 'ab'.repeat(32) },
  { name: 'the type', pointer: ['entry', 'type'], value: 'score' },
  { name: 'the time', pointer: ['entry', 'at'], value: '2027-03-01T00:00:00.000Z' },
  { name: 'the tag', pointer: ['entry', 'org'], value: '0'.repeat(32) },
  { name: 'the record', pointer: ['record', 'position'], value: 4711 },
  { name: 'the proof', pointer: ['proof'], value: 'c2sp.org/tlog-proof@v1\nindex 1\n\n' },
]

function changed(certificate: Certificate, pointer: readonly string[], value: unknown): unknown {
  const copy: Record<string, unknown> = structuredClone(certificate.log ?? {})
  const [name = '', inner] = pointer
  copy[name] = inner === undefined ? value : { ...(copy[name] as object), [inner]: value }
  return { ...certificate, log: copy }
}

describe('a certificate with its proof of the log', () => {
  it('keeps its hash, and names the witnesses that a policy trusts', async () => {
    for (const [i, certificate] of (await logged()).entries()) {
      expect(certificateHash(certificate)).toBe(checkpoints[i]?.certificate_hash)
      const outcome = verifyCertificate(JSON.parse(JSON.stringify(certificate)), keys, policy)
      expect(outcome).toMatchObject({
        verification: {
          valid: true,
          checks: { log: { valid: true, index: i + 1, cosigned_by: ['w1.example'] } },
        },
      })
      const alone = verifyCertificate(certificate, keys)
      expect(alone).toMatchObject({
        verification: { valid: true, checks: { log: { valid: true, cosigned_by: null } } },
      })
    }
  })

  it('is invalid with a changed proof, or with that of another checkpoint', async () => {
    const [first, second] = await logged()
    if (first === undefined || second === undefined) throw new Error('two certificates')
    const exchanged = { ...first, log: second.log }
    const cases = [
      exchanged,
      ...TAMPERED.map(({ pointer, value }) => changed(first, pointer, value)),
    ]
    for (const certificate of cases) {
      for (const trusted of [policy, undefined]) {
        expect(verifyCertificate(certificate, keys, trusted)).toMatchObject({
          verification: {
            valid: false,
            checks: { signature: { valid: true }, log: { valid: false } },
          },
        })
      }
    }
    const unwitnessed = { ...policy, witnesses: [] }
    expect(verifyCertificate(first, keys, unwitnessed)).toMatchObject({
      verification: { valid: false },
    })
  })

  it('is the vector for other implementations', async () => {
    const certificates = await logged()
    const document = { keys, certificates, tampered: TAMPERED }
    await expect(`${JSON.stringify(document, null, 1)}\n`).toMatchFileSnapshot(FILE)
  })
})
