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

// A published key, whose id is derived from its bytes, signed the statement.
function isSigned({ statement, signature }, keys) {
  const { x } = keys.find((key) => key.key_id === signature.key_id)
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  const named = `key-${sha256(Buffer.from(x, 'base64url')).slice(0, 16)}` === signature.key_id
  const value = Buffer.from(signature.value, 'base64')
  return named && verify(null, Buffer.from(canonical(statement)), key, value)
}

const hasForm = ({ statement, signature }) =>
  statement['@context'] === CONTEXT &&
  has(statement, FIELDS) &&
  has(signature, 'algorithm key_id value') &&
  signature.algorithm === 'Ed25519'

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
