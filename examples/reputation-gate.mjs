// Checks whether the reputation of another agent is good enough to work with it.
// Usage: node examples/reputation-gate.mjs AGENT [MIN_SCORE]
import { touchstone } from './shop-desk.mjs'

const [agentId = 'example-shop-desk', minScore = '600'] = process.argv.slice(2)

const gate = touchstone.reputation.gate({ minScore: Number(minScore) })
const { allowed, score, grade, assurance, reasons } = await gate(agentId)

console.log(`${agentId}: ${score ?? 'no score'}, ${grade}, assurance ${assurance ?? 'unknown'}`)
for (const reason of reasons) console.log(reason)
process.exitCode = allowed ? 0 : 1
