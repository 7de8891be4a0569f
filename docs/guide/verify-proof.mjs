// node docs/guide/verify-proof.mjs receipt.json [inputs.json]
//
// Verifies the STARK receipt of a risk score offline; with the inputs document also that the receipt
// is for these inputs. Runs in a built clone (npm run build). packages/prover/verifier-rs is a second
// verifier that shares no code with this one. receipt.json can also be the response of
// GET /v1/risk/proofs/{proof_id}.
import { readFileSync } from 'node:fs'
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

const paths = process.argv.slice(2)
if (paths.length < 1 || paths.length > 2) {
  stop('usage: node docs/guide/verify-proof.mjs receipt.json [inputs.json]', 2)
}
const [answer, opened] = paths.map(read)
const receipt = findReceipt(answer)
if (receipt === undefined) stop(`${paths[0]}: no receipt with its proof in it`, 2)

const { checks, journal, reason } = verifyReceipt(receipt)
const all = {
  ...checks,
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
process.exit(Object.values(all).every(Boolean) ? 0 : 1)
