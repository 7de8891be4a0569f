// node verify-certificate.mjs certificate.json keys.json
//
// Verifies an integrity certificate with two files and no network. It deliberately shares no code
// with the service: read it, or write your own.
import { createHash, createHmac, createPublicKey, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'

function sha256(...parts) {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

const hex = (hash) => hash.toString('hex')

function bytes(hash) {
  if (!/^[0-9a-f]{64}$/.test(hash)) throw new Error('not a hash')
  return Buffer.from(hash, 'hex')
}

// RFC 8785: members sorted by name, no spaces, numbers as JavaScript writes them.
function canonical(value) {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  const names = Object.keys(value).sort()
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join()}}`
}

// RFC 9162 §2.1.3.2: index and size determine on which side each sibling of the path is.
function sidesOf(index, size) {
  const sides = []
  let [at, last] = [index, size - 1]
  if (!(at >= 0 && at <= last)) throw new Error('no such leaf')
  while (last > 0) {
    const isLeft = at % 2 === 1 || at === last
    sides.push(isLeft ? 'left' : 'right')
    for (; isLeft && at % 2 === 0 && at > 0; at /= 2) last = Math.floor(last / 2)
    at = Math.floor(at / 2)
    last = Math.floor(last / 2)
  }
  return sides
}

function rootOf(leaf, { leaf_index, tree_size, inclusion_proof }) {
  const sides = sidesOf(leaf_index, tree_size)
  if (sides.length !== inclusion_proof.length) throw new Error('not its path')
  return inclusion_proof.reduce((below, item, i) => {
    const [hash, position] = [bytes(item.hash), sides[i]]
    if (canonical(item) !== canonical({ hash: item.hash, position }))
      throw new Error('not its path')
    return position === 'left' ? sha256('\x01', hash, below) : sha256('\x01', below, hash)
  }, leaf)
}

const has = (object, names) => Object.keys(object).sort().join(' ') === names

function stop(reason, code) {
  console.error(reason)
  process.exit(code)
}

function read(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (err) {
    return stop(`${path}: ${err.message}`, 2)
  }
}

const paths = process.argv.slice(2)
if (paths.length !== 2) stop('usage: node verify-certificate.mjs certificate.json keys.json', 2)
const [certificate, published] = paths.map(read)
const keys = published?.keys
if (!certificate?.proofs || !Array.isArray(keys)) {
  stop('FAILED: these are not a certificate and the published keys, in this order', 1)
}
const { certificate_id, issued_at, timestamp, subject, claims, input_commitments } = certificate
const { signature, chain, merkle } = certificate.proofs

// Version 1.1.0 added the origin of the checkpoint and signs the URLs, too.
const { version, verification } = certificate
const isOlder = version === '1.0.0'

const payload = canonical({
  agent_id: subject.agent_id,
  certificate_id,
  chain_hash: chain.chain_hash,
  chain_position: chain.position,
  checkpoint_id: subject.checkpoint_id,
  input_commitment: input_commitments.combined_commitment,
  issued_at,
  leaf_index: merkle?.leaf_index ?? null,
  merkle_root: merkle?.root ?? null,
  record_hash: chain.record_hash,
  thinking_block_hash: input_commitments.thinking_block_hash,
  timestamp,
  tree_size: merkle?.tree_size ?? null,
  verdict: claims.verdict,
  ...(isOlder ? {} : { verification }),
})

// The proof that the public log has this checkpoint, which a certificate has once it is logged: the
// record opens the entry, and the path leads to the checkpoint of the log. Whether to trust that
// checkpoint is for a monitor, or for `touchstone verify certificate --policy FILE`.
function holds({ index, entry, nonce, record, proof, ...others }) {
  const { agent_id, checkpoint_id } = subject
  const { chain_hash, position, record_hash } = chain
  const expected = { agent_id, chain_hash, checkpoint_id, position, record_hash }
  const [head, body] = [proof.split('\n\n', 1)[0], proof.slice(proof.indexOf('\n\n') + 2)]
  const [header, ...lines] = head.split('\n').filter((line) => !line.startsWith('extra '))
  const [, size, root] = body.split('\n')
  const sides = sidesOf(index, Number(size))
  const path = lines.slice(1).map((line, i) => {
    return { hash: hex(Buffer.from(line, 'base64')), position: sides[i] }
  })
  const place = { leaf_index: index, tree_size: Number(size), inclusion_proof: path }
  return (
    has(others, '') &&
    has(entry, 'at hash org type v') &&
    entry.type === 'checkpoint' &&
    canonical(record) === canonical(expected) &&
    hex(createHmac('sha256', bytes(nonce)).update(canonical(record)).digest()) === entry.hash &&
    header === 'c2sp.org/tlog-proof@v1' &&
    lines[0] === `index ${index}` &&
    rootOf(sha256('\x00', canonical(entry)), place).toString('base64') === root
  )
}

const checks = {
  // One hash over findings, subject and inputs; the certificate id is derived from it.
  record() {
    const hash = hex(sha256(canonical({ claims, input_commitments, subject, timestamp })))
    return hash === chain.record_hash && certificate_id === `cert-${hash.slice(0, 16)}`
  },

  // One hash over all inputs of the analyser.
  inputs() {
    const { thinking_block_hash, output_block_hash, ...rest } = input_commitments
    const hashes = [rest.card_hash, rest.values_hash, rest.context_hash]
    const judge = [rest.model_version, rest.template_version]
    const all = [thinking_block_hash, output_block_hash ?? '-', ...hashes, ...judge]
    return hex(sha256(all.join('|'))) === rest.combined_commitment
  },

  // The record at its position, linked to the hash of its predecessors.
  chain() {
    const { prev_chain_hash: previous, position } = chain
    const place = Buffer.alloc(8)
    place.writeBigUInt64BE(BigInt(position))
    const before = previous === null ? Buffer.alloc(32) : bytes(previous)
    const link = hex(sha256('TSC1', before, place, bytes(chain.record_hash)))
    return link === chain.chain_hash && (previous === null) === (position === 0)
  },

  // The link as a leaf of the agent's tree. Only checkpoints without an analysis are not leaves.
  merkle() {
    if (merkle === null) return claims.synthetic === true
    const leaf = sha256('\x00', bytes(chain.chain_hash))
    const isLeaf = claims.synthetic === false && hex(leaf) === merkle.leaf_hash
    return isLeaf && hex(rootOf(leaf, merkle)) === merkle.root
  },

  // A published key, whose id is derived from its bytes, signed the values checked above.
  signature() {
    const { x } = keys.find((key) => key.key_id === signature.key_id)
    const keyId = `key-${hex(sha256(Buffer.from(x, 'base64url'))).slice(0, 16)}`
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
    const value = Buffer.from(signature.value, 'base64')
    if (keyId !== signature.key_id || value.toString('base64') !== signature.value) return false
    return signature.signed_payload === payload && verify(null, Buffer.from(payload), key, value)
  },

  // The document has no field that no check has covered, except the links of version 1.0.0.
  form() {
    const { '@context': context, type, proofs, log, ...rest } = certificate
    const fixed = [context, type, signature.algorithm, proofs.verdict_derivation]
    const complete = 'agent_id card_id checkpoint_id decision_ids provenance received_at session_id'
    return (
      canonical(fixed) ===
        '["urn:touchstone:integrity-certificate:v1","IntegrityCertificate","Ed25519",null]' &&
      has(
        rest,
        'certificate_id claims input_commitments issued_at subject timestamp verification version',
      ) &&
      (isOlder || version === '1.1.0') &&
      has(subject, isOlder ? 'agent_id card_id checkpoint_id session_id' : complete) &&
      has(verification, 'certificate_url keys_url verify_url') &&
      has(proofs, 'chain merkle signature verdict_derivation') &&
      has(signature, 'algorithm key_id signed_payload value') &&
      has(chain, 'chain_hash position prev_chain_hash record_hash') &&
      (merkle === null || has(merkle, 'inclusion_proof leaf_hash leaf_index root tree_size')) &&
      (log === undefined || holds(log))
    )
  },
}

console.log(`${subject.checkpoint_id} of ${subject.agent_id} at ${timestamp}`)
const finding = `says ${claims.verdict}, found by ${claims.analyzer} (${claims.analysis_model})`
const origin = isOlder ? 'reported' : subject.provenance
console.log(`known as ${origin}${isOlder ? '' : `, received at ${subject.received_at}`}`)
console.log(claims.synthetic ? 'not judged' : finding)
for (const [name, check] of Object.entries(checks)) {
  let ok = false
  try {
    ok = check()
  } catch {}
  if (!ok) process.exitCode = 1
  console.log(`${name.padEnd(10)} ${ok ? 'ok' : 'FAILED'}`)
}
