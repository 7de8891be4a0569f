// node verify-history.mjs keys.json head.json
// node verify-history.mjs keys.json older-head.json newer-head.json consistency-proof.json
// node verify-history.mjs keys.json head.json inclusion-proof.json certificate.json
//
// Verifies an agent's history with saved responses and no network: a signed tree head, that a newer
// head extends an older one, that a checkpoint is in the tree of a head. Like
// verify-certificate.mjs it deliberately shares no code with the service.
import { createHash, createPublicKey, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'

const USAGE = `usage: node verify-history.mjs keys.json head.json
       node verify-history.mjs keys.json older-head.json newer-head.json consistency-proof.json
       node verify-history.mjs keys.json head.json inclusion-proof.json certificate.json`

function stop(reason) {
  console.error(reason)
  process.exit(2)
}

function read(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (err) {
    return stop(`${path}: ${err.message}`)
  }
}

function sha256(...parts) {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('hex')
}

function bytes(hash) {
  if (!/^[0-9a-f]{64}$/.test(hash)) throw new Error('not a hash')
  return Buffer.from(hash, 'hex')
}

const node = (left, right) => sha256('\x01', bytes(left), bytes(right))
const isSize = (value) => Number.isSafeInteger(value) && value > 0
const half = (value) => Math.floor(value / 2)

// A published key, whose id is derived from its bytes, signed agent, size and root together.
function isSigned(head) {
  const { agent_id, leaf_count, merkle_root } = head
  const { x } = keys.find((key) => key.key_id === head.key_id)
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  const named = `key-${sha256(Buffer.from(x, 'base64url')).slice(0, 16)}` === head.key_id
  const text = JSON.stringify({ agent_id, leaf_count, merkle_root })
  const isHead = isSize(leaf_count) && bytes(merkle_root).length === 32
  return (
    named && isHead && verify(null, Buffer.from(text), key, Buffer.from(head.signature, 'base64'))
  )
}

// The path from one position of a level up to the root; `join` takes each sibling with its side.
function climb(place, level, siblings, join) {
  let [at, last] = [place, level]
  for (const sibling of siblings) {
    if (last === 0) return false
    const isLeft = at % 2 === 1 || at === last
    join(sibling, isLeft)
    for (; isLeft && at % 2 === 0 && at > 0; at = half(at)) last = half(last)
    at = half(at)
    last = half(last)
  }
  return last === 0
}

// RFC 9162 §2.1.4.2. Sizes and roots in the proof must match the signed heads.
function continues(older, newer, { first, second, first_root, second_root, proof }) {
  const signed = [older.leaf_count, newer.leaf_count, older.merkle_root, newer.merkle_root]
  if ([first, second, first_root, second_root].join() !== signed.join()) return false
  if (older.agent_id !== newer.agent_id || !isSize(first) || !isSize(second)) return false
  if (first === second) return proof.length === 0 && first_root === second_root
  let [at, last] = [first - 1, second - 1]
  for (; at % 2 === 1; at = half(at)) last = half(last)
  const [start, ...rest] = at === 0 ? [first_root, ...proof] : proof
  let [one, other] = [start, start]
  const arrived = climb(at, last, rest, (hash, isLeft) => {
    if (isLeft) one = node(hash, one)
    other = isLeft ? node(hash, other) : node(other, hash)
  })
  return arrived && one === first_root && other === second_root
}

// RFC 9162 §2.1.3.2: from the certificate's leaf up to the root signed in the head.
function includes(head, { leaf_index, tree_size, siblings }, { subject, proofs }) {
  if (subject.agent_id !== head.agent_id || tree_size !== head.leaf_count) return false
  if (leaf_index !== proofs.merkle?.leaf_index || !(leaf_index < tree_size)) return false
  let hash = sha256('\x00', bytes(proofs.chain.chain_hash))
  const arrived = climb(leaf_index, tree_size - 1, siblings, ({ hash: sibling }, isLeft) => {
    hash = isLeft ? node(sibling, hash) : node(hash, sibling)
  })
  return arrived && hash === head.merkle_root
}

const paths = process.argv.slice(2)
if (paths.length !== 2 && paths.length !== 4) stop(USAGE)
const [published, head, ...others] = paths.map(read)
const keys = Array.isArray(published?.keys) ? published.keys : stop(`${paths[0]}: holds no keys`)
const checks = { head: () => isSigned(head) }
if (others[0]?.siblings !== undefined) {
  checks.included = () => includes(head, ...others)
} else if (others.length > 0) {
  checks['newer head'] = () => isSigned(others[0])
  checks.continues = () => continues(head, ...others)
}

const sizes = [head, ...others].flatMap((one) => one?.leaf_count ?? [])
console.log(`${head?.agent_id}, ${sizes.join(' and ')} leaves`)
for (const [name, check] of Object.entries(checks)) {
  let ok = false
  try {
    ok = check()
  } catch {}
  if (!ok) process.exitCode = 1
  console.log(`${name.padEnd(10)} ${ok ? 'ok' : 'FAILED'}`)
}
