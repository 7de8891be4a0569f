// PROVER_KEY=… PORT=8899 node docs/guide/external-prover.mjs
//
// A minimal external prover of risk scores, listening on this machine. Start Touchstone with
// PROVER_URL=http://127.0.0.1:8899/, the same PROVER_KEY and a PROVER_SYSTEM. Runs in a built clone
// (npm run build) and computes one proof at a time. Put an https proxy in front of it to make it
// reachable from other machines.
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import { encodeJournal, journalOf, proveRisk, riskProgramId, witnessOf } from '@touchstone/prover'

const BODY_BYTES_MAX = 1024 * 1024
const expected = Buffer.from(`Bearer ${process.env.PROVER_KEY ?? ''}`)

function isAllowed(req) {
  const given = Buffer.from(req.headers.authorization ?? 'Bearer ')
  return given.length === expected.length && timingSafeEqual(given, expected)
}

async function read(req) {
  const chunks = []
  let length = 0
  for await (const chunk of req) {
    chunks.push(chunk)
    length += chunk.length
    if (length > BODY_BYTES_MAX) throw new Error('the body is too large')
  }
  return JSON.parse(Buffer.concat(chunks).toString())
}

function prove({ program_id: programId, inputs }) {
  // The requested program can be newer or older than this prover.
  if (programId !== riskProgramId()) throw new Error(`this prover has ${riskProgramId()} only`)
  const journal = journalOf(inputs)
  const proof = proveRisk(witnessOf(inputs), journal, randomBytes(32))
  return {
    proof: Buffer.from(proof).toString('base64'),
    journal: Buffer.from(encodeJournal(journal)).toString('base64'),
  }
}

const server = createServer(async (req, res) => {
  const answer = (status, body) =>
    res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  if (req.method !== 'POST') return answer(405, { error: 'POST what is to be proven' })
  if (!isAllowed(req)) return answer(401, { error: 'the key is wrong' })
  try {
    answer(200, prove(await read(req)))
  } catch (err) {
    answer(400, { error: err.message })
  }
})
server.listen(Number(process.env.PORT ?? 8899), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}/`)
})
