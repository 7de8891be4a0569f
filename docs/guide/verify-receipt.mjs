// node verify-receipt.mjs decision.json keys.json [arguments.json]
//
// Verifies the receipt of a gateway decision with the saved response, the published keys and no
// network; with the arguments of the call also that the decision is for them. Like the other
// verifiers it deliberately shares no code with the service.
import { createHash, createPublicKey, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'

const CONTEXT = 'urn:touchstone:decision-receipt:v1'
const FIELDS =
  '@context agent_id arguments_hash decided_at decision decision_id escalation_id policy_id policy_version tool transaction_id'

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

const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex')
const has = (object, names) => Object.keys(object).sort().join(' ') === names

// RFC 8785: members sorted by name, no spaces, numbers as JavaScript writes them.
function canonical(value) {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  const names = Object.keys(value).sort()
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join()}}`
}

// The text that was signed: the statement or, for a receipt with a batch, the head of the batch.
function signedText({ statement, batch }) {
  if (batch === undefined) return canonical(statement)
  const { at, root, size } = batch
  return canonical({ at, root, size, type: 'touchstone.decisions', v: 2 })
}

// A published key, whose id is derived from its bytes, made the signature.
function isSigned(receipt, keys) {
  const { signature } = receipt
  const { x } = keys.find((key) => key.key_id === signature.key_id)
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  const named = `key-${sha256(Buffer.from(x, 'base64url')).slice(0, 16)}` === signature.key_id
  // Buffer.from accepts other alphabets and spaces, which would be another form of the same receipt.
  const value = Buffer.from(signature.value, 'base64')
  const isExact = value.toString('base64') === signature.value
  return named && isExact && verify(null, Buffer.from(signedText(receipt)), key, value)
}

// RFC 6962: the sides of the siblings from a leaf to the root, which follow from index and size.
function sidesOf(index, size) {
  if (size < 2) return []
  let split = 1
  while (split * 2 < size) split *= 2
  return index < split
    ? [...sidesOf(index, split), 'right']
    : [...sidesOf(index - split, size - split), 'left']
}

const isSibling = (item) => has(item, 'hash position') && /^[0-9a-f]{64}$/.test(item.hash)

// The path leads from the statement, a leaf of the batch, to the signed root.
function isInBatch({ statement, batch: { root, size, index, path } }) {
  const hasPlace = Number.isSafeInteger(size) && Number.isSafeInteger(index) && index >= 0
  const hasShape =
    hasPlace &&
    index < size &&
    path.every(isSibling) &&
    path.map(({ position }) => position).join() === sidesOf(index, size).join()
  const leaf = sha256(Buffer.concat([Buffer.of(0), Buffer.from(canonical(statement))]))
  const reached = path.reduce((hash, sibling) => {
    const pair = sibling.position === 'left' ? sibling.hash + hash : hash + sibling.hash
    return sha256(Buffer.concat([Buffer.of(1), Buffer.from(pair, 'hex')]))
  }, leaf)
  return hasShape && reached === root
}

const hasForm = (receipt) =>
  receipt.statement['@context'] === CONTEXT &&
  has(receipt.statement, FIELDS) &&
  has(receipt.signature, 'algorithm key_id value') &&
  receipt.signature.algorithm === 'Ed25519' &&
  (receipt.batch === undefined
    ? has(receipt, 'signature statement')
    : has(receipt, 'batch signature statement') && has(receipt.batch, 'at index path root size'))

const paths = process.argv.slice(2)
if (paths.length < 2 || paths.length > 3) {
  stop('usage: node verify-receipt.mjs decision.json keys.json [arguments.json]', 2)
}
const [decision, { keys }, given] = paths.map(read)
const receipt = decision.receipt ?? decision

function holds(check) {
  try {
    return check()
  } catch {
    return false
  }
}

const checks = {
  form: holds(() => hasForm(receipt)),
  signature: holds(() => isSigned(receipt, keys)),
  ...(receipt.batch !== undefined && { batch: holds(() => isInBatch(receipt)) }),
  ...(paths.length === 3 && {
    arguments: holds(() => receipt.statement.arguments_hash === sha256(canonical(given))),
  }),
}
const said = receipt.statement ?? {}
console.log(`${said.decision_id} of ${said.agent_id} at ${said.decided_at}`)
console.log(`says ${said.decision} to ${said.tool}`)
for (const [name, ok] of Object.entries(checks)) {
  console.log(`${name.padEnd(10)} ${ok ? 'ok' : 'FAILED'}`)
}
process.exit(Object.values(checks).every(Boolean) ? 0 : 1)
