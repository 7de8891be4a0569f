// node docs/guide/verify-proof.mjs receipt.json [inputs.json] [--keys keys.json]
//
// Verifies the STARK receipt of a risk score offline; with the inputs document also that the receipt
// is for these inputs; with the published keys (GET /v1/keys) also that the service signed the other
// fields of the receipt. Runs in a built clone (npm run build). packages/prover/verifier-rs is a second
// verifier that shares no code with this one. receipt.json can also be the response of
// GET /v1/risk/proofs/{proof_id}.
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { findReceipt, isAbout, verifyReceipt } from '@touchstone/prover'

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

let keys
const { values, positionals: paths } = (() => {
  try {
    const options = { keys: { type: 'string' } }
    return parseArgs({ options, allowPositionals: true })
  } catch (err) {
    return stop(err.message, 2)
  }
})()
if (paths.length < 1 || paths.length > 2) {
  stop('usage: node docs/guide/verify-proof.mjs receipt.json [inputs.json] [--keys keys.json]', 2)
}
const [answer, opened] = paths.map(read)
const receipt = findReceipt(answer)
if (receipt === undefined) stop(`${paths[0]}: no receipt with its proof in it`, 2)

if (values.keys !== undefined) {
  ;({ keys } = read(values.keys))
  if (!Array.isArray(keys)) stop(`${values.keys}: no list of keys`, 2)
}

const { valid, checks, journal, reason } = verifyReceipt(receipt, keys)
const { fields_signed: isSigned, ...others } = checks
const all = {
  ...others,
  ...(isSigned !== null && { fields_signed: isSigned }),
  ...(opened !== undefined && { inputs: isAbout(journal, opened.inputs ?? opened) }),
}
if (journal !== null) {
  const breakers = journal.circuit_breakers.join(', ') || 'no breakers'
  console.log(`${journal.assessment_id} as of ${journal.as_of} by ${journal.formula}`)
  console.log(
    `${(journal.score_e4 / 10_000).toFixed(4)}, ${journal.level}, ${journal.recommendation}, ${breakers}`,
  )
}
for (const [name, ok] of Object.entries(all))
  console.log(`${name.padEnd(20)} ${ok ? 'ok' : 'FAILED'}`)
if (reason !== null) console.log(reason)
process.exit(valid && Object.values(all).every(Boolean) ? 0 : 1)
