import { createPublicKey } from 'node:crypto'
// Not exported by name; the verifier of bundles uses them for the entries of Rekor.
import { verifyCheckpoint } from '@sigstore/verify/dist/tlog/checkpoint.js'
import { verifyMerkleInclusion } from '@sigstore/verify/dist/tlog/merkle.js'
import { parseTlogPolicy, parseTlogProof, writeLogEntry } from '@touchstone/protocol/log'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { CARD, textOf } from '#harness/checkpoints.ts'

const ENTRIES = 40
/** Before the 32 bytes of an Ed25519 key in DER. */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex')

let t: TestApp
let tlog: Parameters<typeof verifyCheckpoint>[1][number]
let recordIds: string[]

/** The fields of an entry of Rekor that its verifier reads. */
type Entry = Parameters<typeof verifyCheckpoint>[0]

async function entryOf(recordId: string): Promise<Entry> {
  const url = `/v1/log/proof/${encodeURIComponent(recordId)}`
  const headers = { accept: 'application/json' }
  const { body } = await t.call('GET', url, { token: t.first.api_key, headers })
  const proof = parseTlogProof(body.proof)
  if (!proof.ok) throw new Error(proof.reason)
  const { index, hashes, checkpoint } = proof.value
  const inclusionProof = {
    logIndex: String(index),
    hashes: hashes.map((hash) => Buffer.from(hash)),
    checkpoint: { envelope: checkpoint },
  }
  // The cast is safe: the verifier reads no other fields.
  return { inclusionProof, canonicalizedBody: Buffer.from(writeLogEntry(body.entry)) } as Entry
}

function verify(entry: Entry): void {
  verifyMerkleInclusion(entry, verifyCheckpoint(entry, [tlog]))
}

beforeAll(async () => {
  t = await testApp()
  const token = t.first.api_key
  await t.call('POST', '/v1/agents', { token, body: { agent_id: 'clerk', card: CARD } })
  const checkpoints = Array.from({ length: ENTRIES }, (_, n) => ({
    agent_id: 'clerk',
    session_id: `s${n % 3}`,
    thinking: textOf(n),
  }))
  const { body } = await t.call('POST', '/v1/checkpoints/batch', { token, body: { checkpoints } })
  recordIds = body.results.map((one: { checkpoint_id: string }) => one.checkpoint_id)
  await t.app.sequenceLog()
  const policy = parseTlogPolicy((await t.call('GET', '/v1/log/policy')).text)
  const [log] = policy.ok ? policy.value.logs : []
  if (log === undefined) throw new Error('the policy names no log')
  tlog = {
    baseURL: `https://${log.key.name}`,
    logID: Buffer.from(log.key.id, 'hex'),
    publicKey: createPublicKey({
      key: Buffer.concat([SPKI, log.key.publicKey]),
      format: 'der',
      type: 'spki',
    }),
    validFor: { start: new Date(0), end: new Date(8.64e15) },
  }
})

describe('the verifier of sigstore', () => {
  it('reads our checkpoint and the proof of every entry', async () => {
    for (const recordId of recordIds) verify(await entryOf(recordId))
  })

  it('refuses another entry, another place, another root and another key', async () => {
    const [first = '', second = ''] = recordIds
    const entry = await entryOf(first)
    const { canonicalizedBody } = await entryOf(second)
    expect(() => verify({ ...entry, canonicalizedBody })).toThrow('root hash does not match')
    const { inclusionProof } = entry
    if (inclusionProof?.checkpoint === undefined) throw new Error('no inclusion proof')
    const moved = { ...inclusionProof, logIndex: String(Number(inclusionProof.logIndex) + 1) }
    expect(() => verify({ ...entry, inclusionProof: moved })).toThrow('root hash does not match')
    const [origin = '', size = ''] = inclusionProof.checkpoint.envelope.split('\n')
    const envelope = inclusionProof.checkpoint.envelope.replace(
      `${origin}\n${size}`,
      `${origin}\n9`,
    )
    const changed = { ...inclusionProof, checkpoint: { envelope } }
    expect(() => verify({ ...entry, inclusionProof: changed })).toThrow('invalid checkpoint')
    tlog = { ...tlog, logID: Buffer.alloc(4) }
    expect(() => verify(entry)).toThrow('invalid checkpoint signature')
  })
})
