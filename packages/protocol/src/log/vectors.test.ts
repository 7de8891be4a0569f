import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { bytesToBase64 } from '../base/encoding.ts'
import { leafHash, merkleRoot, verifyConsistency } from '../merkle/merkle.ts'
import { createMerkleTree } from '../merkle/merkle-tree.ts'
import { checkpointBody } from './checkpoint-body.ts'
import { createLogEntry, writeLogEntry } from './entry.ts'
import { writeBundle } from './entry-bundle.ts'
import { cosign, testKey, tileStore } from './logs.fixture.ts'
import { writeVkey } from './note-key.ts'
import { verifyByPolicy } from './policy-check.ts'
import { signNote } from './signed-note.ts'
import { bundlePath, bundlesOfGrowth, TILE_WIDTH } from './tile.ts'
import { appendToTiles, inclusionProofFromTiles } from './tile-tree.ts'
import { parseTlogPolicy } from './tlog-policy.ts'
import { parseTlogProof, verifyTlogProof, writeTlogProof } from './tlog-proof.ts'

/**
 * The vectors that other implementations run. If a format changes deliberately, write them again with
 * `vitest -u`.
 */
const FILE = fileURLToPath(new URL('../../../../vectors/log/log.json', import.meta.url))

const ORIGIN = 'log.example/log'
const SIZES = [1, 5, 255, 256, 300]
const SIZE = 300
const TIME = 1_800_000_000

const log = testKey(ORIGIN, 'ed25519', 1)
const w1 = testKey('w1.example', 'cosignature', 2)
const w2 = testKey('w2.example', 'cosignature', 3)
const stranger = testKey('stranger.example', 'cosignature', 4)
const impostor = testKey(ORIGIN, 'ed25519', 5)

const WITNESSES = `witness first ${writeVkey(w1.key)}\nwitness second ${writeVkey(w2.key)} https://w2.example\n`
const POLICY = `# A comment.\nlog ${writeVkey(log.key)}\n${WITNESSES}group both all first second\nquorum both\n`

const POLICIES = [
  POLICY,
  'quorum none\n',
  `${WITNESSES}\tgroup g 1 first \t second\n\n# end\nquorum g\n`,
  '',
  'quorum none',
  'quorum first\n',
  'quorum none\nquorum none\n',
  `${WITNESSES}group g 3 first second\nquorum g\n`,
  `${WITNESSES}group g 0 first\nquorum g\n`,
  `${WITNESSES}group g 01 first\nquorum g\n`,
  `${WITNESSES}group g any first first\nquorum g\n`,
  `${WITNESSES}group g any none\nquorum g\n`,
  `${WITNESSES}group first any second\nquorum first\n`,
  `${WITNESSES}witness third ${writeVkey(w1.key)}\nquorum none\n`,
  `witness none ${writeVkey(w1.key)}\nquorum none\n`,
  `log ${writeVkey(w1.key)}\nquorum none\n`,
  `witness w ${writeVkey(log.key)}\nquorum none\n`,
  `log ${writeVkey(log.key).replace('log.', 'lag.')}\nquorum none\n`,
  'quorum none\r\n',
]

const entries = Array.from({ length: SIZE }, (_, i) =>
  writeLogEntry(
    createLogEntry({
      type: 'outcome',
      recordId: `dec-${i}`,
      record: { decision_id: `dec-${i}`, status: 'ok' },
      at: new Date(1_800_000_000_000 + 1000 * i),
      salt: new Uint8Array(32).fill(8),
      orgSalt: new Uint8Array(32).fill(9),
    }).entry,
  ),
)
const leaves = entries.map(leafHash)
const tree = createMerkleTree()
for (const leaf of leaves) tree.append(leaf)

const bodyAt = (size: number) =>
  checkpointBody({ origin: ORIGIN, size, root: merkleRoot(leaves.slice(0, size)) })
const cosigned = (body: string) =>
  `${signNote(body, log)}${cosign(body, w1, TIME)}${cosign(body, w2, TIME + 1)}`

const store = tileStore()
const growth = await appendToTiles({ size: 0, leaves }, store.read)
store.store(growth.tiles)
for (const bundle of bundlesOfGrowth(0, SIZE)) {
  const start = bundle.index * TILE_WIDTH
  store.stored.set(bundlePath(bundle), writeBundle(entries.slice(start, start + bundle.width)))
}

function checkpoints() {
  const body = bodyAt(SIZE)
  const good = cosigned(body)
  const texts = {
    ...Object.fromEntries(SIZES.map((size) => [`size ${size}`, cosigned(bodyAt(size))])),
    'with a signature of a stranger': `${good}${cosign(body, stranger, TIME)}`,
    'with an extension': cosigned(`${body}extension\n`),
    'without a witness': `${signNote(body, log)}${cosign(body, w1, TIME)}`,
    'without the log': `${body}\n${cosign(body, w1, TIME)}${cosign(body, w2, TIME)}`,
    'of an impostor': `${signNote(body, impostor)}${cosign(body, w1, TIME)}${cosign(body, w2, TIME)}`,
    'with a changed size': good.replace('\n300\n', '\n301\n'),
    'with a leading zero': cosigned(body.replace('\n300\n', '\n0300\n')),
    'with an empty extension': cosigned(`${body}\n`),
    'with a broken cosignature': `${signNote(body, log)}${cosign(body, w1, TIME)}${cosign(bodyAt(5), w2, TIME)}`,
    'with a carriage return': good.replace('\n', '\r\n'),
    'without a final line feed': good.trimEnd(),
    'of another log': cosigned(body.replace(ORIGIN, 'other.example')),
  }
  const policy = policyOf(POLICY)
  return Object.entries(texts).map(([name, text]) => ({
    name,
    text,
    valid: verifyByPolicy(text, policy).ok,
  }))
}

async function proofs() {
  const checkpoint = cosigned(bodyAt(SIZE))
  const texts: { name: string; text: string; entry: Uint8Array }[] = []
  for (const index of [0, 1, 127, 254, 255, 256, 299]) {
    const hashes = await inclusionProofFromTiles({ index, size: SIZE }, store.read)
    const entry = entries[index] ?? new Uint8Array()
    const text = writeTlogProof({ extra: entry, index, hashes, checkpoint })
    const other = entries[(index + 1) % SIZE] ?? new Uint8Array()
    texts.push(
      { name: `index ${index}`, text, entry },
      { name: `index ${index}, another entry`, text, entry: other },
      {
        name: `index ${index}, another index`,
        text: text.replace(/index \d+/, `index ${(index + 2) % SIZE}`),
        entry,
      },
      { name: `index ${index}, shorter`, text: text.replace(/(index .*\n).*\n/, '$1'), entry },
    )
  }
  const [{ text, entry } = { text: '', entry: new Uint8Array() }] = texts
  texts.push(
    { name: 'without extra', text: text.replace(/extra .*\n/, ''), entry },
    { name: 'another version', text: text.replace('@v1', '@v2'), entry },
    { name: 'no empty line', text: text.replaceAll('\n\n', '\n'), entry },
    { name: 'extra that is not base64', text: text.replace('extra ', 'extra !'), entry },
    { name: 'no index', text: text.replace(/index .*\n/, ''), entry },
  )
  const policy = policyOf(POLICY)
  return texts.map(({ name, text: proof, entry: leaf }) => {
    const parsed = parseTlogProof(proof)
    const valid = parsed.ok && verifyTlogProof(parsed.value, { entry: leaf, policy }).ok
    return { name, text: proof, entry: bytesToBase64(leaf), valid }
  })
}

function consistency() {
  const cases: Record<string, unknown>[] = []
  for (const second of SIZES) {
    for (const first of SIZES.filter((size) => size <= second)) {
      const proof = tree.consistencyProof(first, second)
      const [firstRoot, secondRoot] = [
        merkleRoot(leaves.slice(0, first)),
        merkleRoot(leaves.slice(0, second)),
      ]
      for (const [hashes, root] of [
        [proof, firstRoot],
        [proof.slice(1), firstRoot],
        [[...proof, firstRoot], firstRoot],
        [proof, merkleRoot(leaves.slice(1, first + 1))],
      ] as const) {
        const claim = { first, second, firstRoot: root, secondRoot, proof: hashes }
        cases.push({
          first,
          second,
          first_root: bytesToBase64(root),
          second_root: bytesToBase64(secondRoot),
          proof: hashes.map(bytesToBase64),
          valid: verifyConsistency(claim),
        })
      }
    }
  }
  return cases
}

function policyOf(text: string) {
  const policy = parseTlogPolicy(text)
  if (!policy.ok) throw new Error(policy.reason)
  return policy.value
}

describe('the vectors of the log', () => {
  it('are what this implementation writes and how it judges', async () => {
    const document = {
      policies: POLICIES.map((text) => ({ text, valid: parseTlogPolicy(text).ok })),
      checkpoints: checkpoints(),
      proofs: await proofs(),
      consistency: consistency(),
      files: Object.fromEntries(
        [...store.stored].map(([path, bytes]) => [path, bytesToBase64(bytes)]),
      ),
    }
    for (const { name, valid } of document.checkpoints) {
      expect(valid, name).toBe(/^size|stranger|an extension/.test(name))
    }
    for (const { name, valid } of document.proofs) {
      expect(valid, name).toBe(/^index \d+$|without extra/.test(name))
    }
    expect(document.policies.filter(({ valid }) => valid)).toHaveLength(3)
    await expect(`${JSON.stringify(document, null, 1)}\n`).toMatchFileSnapshot(FILE)
  })
})
