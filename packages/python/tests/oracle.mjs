// Answers what packages/protocol and packages/sdk make of the inputs, for the tests that compare the
// Python code with them. Reads a JSON list of questions per line and writes the list of answers.
import { createInterface } from 'node:readline'
import { canonicalJson, parseInstant } from '@touchstone/protocol/base'
import { verifyBundle } from '@touchstone/protocol/bundle'
import { signEd25519, verifyEd25519 } from '@touchstone/protocol/crypto'
import { verifyCertificate } from '@touchstone/protocol/evidence'
import { verifyDecisionReceipt } from '@touchstone/protocol/policy'
import { rate } from '@touchstone/protocol/score'
import { checkpointOf, gatheredCallOf, traceOf } from '../../sdk/dist/guard/evidence.js'
import { gather } from '../../sdk/dist/guard/gathering.js'

const hex = (text) => Uint8Array.from(Buffer.from(text, 'hex'))

const ANSWERS = {
  canonical: ({ text }) => canonicalJson(JSON.parse(text)),
  instant: ({ text }) => parseInstant(text)?.getTime() ?? null,
  sign: ({ message, seed }) => Buffer.from(signEd25519(hex(message), hex(seed))).toString('hex'),
  ed25519: ({ signature, message, key }) =>
    verifyEd25519({ signature: hex(signature), message: hex(message), publicKey: hex(key) }),
  certificate({ text, keys }) {
    const outcome = verifyCertificate(JSON.parse(text), keys)
    if (!outcome.wellFormed) return { valid: false, problems: outcome.problems }
    const { valid, details } = outcome.verification
    return { valid, details, problems: [] }
  },
  receipt({ text, keys }) {
    const { valid, fault = null } = verifyDecisionReceipt(JSON.parse(text), keys)
    return { valid, fault }
  },
  bundle: async ({ lines, keys }) => {
    const { published, recomputed, ...rest } = await verifyBundle(lines, keys)
    return { ...rest, published: bundleScore(published), recomputed: bundleScore(recomputed) }
  },
  rate({ input }) {
    const { score, grade, tier, confidence, components } = rate(input)
    const scores = Object.fromEntries(components.map((one) => [one.key, one.score]))
    return { score, grade, tier, confidence, components: score === null ? null : scores }
  },
  gathered: ({ records }) => gathered(records),
}

function bundleScore(score) {
  if (score === null) return null
  const { checkpointCount, assuredScore, ...rest } = score
  return { ...rest, checkpoint_count: checkpointCount, assured_score: assuredScore }
}

/** The traces and checkpoints that the guard sends for the calls of one session. */
function gathered(records) {
  const traces = []
  const checkpoints = []
  let open
  for (const [index, { nowMs, ...wire }] of records.entries()) {
    const record = { ...wire, at: new Date(wire.at) }
    const call = gatheredCallOf(record)
    const { sessionId } = record.call
    const newCheckpointId = `ic-${index}`
    const next = gather(open, { type: 'call', call, sessionId, newCheckpointId, nowMs })
    const joined = next.open ?? next.complete.at(-1)
    traces.push(traceOf(record, joined.checkpointId))
    checkpoints.push(...next.complete.map((one) => checkpointOf(record.agentId, one)))
    open = next.open
  }
  if (open !== undefined) checkpoints.push(checkpointOf(records[0].agentId, open))
  return { traces, checkpoints }
}

async function answerOf({ op, ...question }) {
  try {
    return { value: await ANSWERS[op](question) }
  } catch (error) {
    return { error: error.name }
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const answers = await Promise.all(JSON.parse(line).map(answerOf))
  process.stdout.write(`${JSON.stringify(answers)}\n`)
}
