import { createHash } from 'node:crypto'
import { individualRisk, type RiskInput } from '@touchstone/protocol/risk'
import {
  encodeJournal,
  encodeRiskInputs,
  proveRisk,
  type RiskJournal,
  verifyRisk,
  witnessCommitment,
} from '@touchstone/prover'
import autocannon from 'autocannon'
import { median, report } from './report.ts'
import { createDataFolder, credentialsIn, startService } from './service.ts'

const ROUNDS = 15
/** Our own limits. */
const PROVE_MS_MAX = 3500
const VERIFY_MS_MAX = 100
const PROOF_KB_MAX = 160
const PEAK_MB_MAX = 350
const HEALTH_P99_MS_MAX = 25
const PORT = 8943
const HEALTH_SECONDS = 8
const HEALTH_RATE = 200

/** The first test vector of the formula, with the most violations that are proven individually. */
const INPUT: RiskInput = {
  actionType: 'financial_transaction',
  riskTolerance: 'moderate',
  analysedCheckpoints: 347,
  reputation: 756,
  components: {
    integrity_ratio: 920,
    compliance: 720,
    drift_stability: 700,
    trace_completeness: 650,
    coherence_compatibility: 390,
  },
  violations: Array.from({ length: 64 }, (_, days) => ({ severity: 'low', days: 2 * days })),
  contained: false,
  amountMinor: 5_000_000,
  maxAutonomousMinor: 10_000_000,
  counterparty: { kind: 'rated', score: 640, conflict: true, contained: false },
}

const witness = encodeRiskInputs(INPUT, '0'.repeat(64))
const { scoreE4, level, recommendation, breakers } = individualRisk(INPUT)
const journal: RiskJournal = {
  v: 1,
  kind: 'individual',
  formula: 'risk-v1',
  assessment_id: 'ra-00000000-0000-4000-8000-000000000001',
  inputs_commitment: `sha256:${'0'.repeat(64)}`,
  witness_commitment: witnessCommitment(witness),
  as_of: '2026-03-01T12:00:00.000Z',
  score_e4: scoreE4,
  level,
  recommendation,
  circuit_breakers: breakers,
}
const journalBytes = encodeJournal(journal)

const proveMs: number[] = []
const verifyMs: number[] = []
const bytes: number[] = []
for (let round = 0; round < ROUNDS; round += 1) {
  const seed = createHash('sha256').update(`round ${round}`).digest()
  const start = performance.now()
  const proof = proveRisk(witness, journal, seed)
  const proven = performance.now()
  if (!verifyRisk(proof, journalBytes).valid) throw new Error('a proof did not verify')
  proveMs.push(proven - start)
  verifyMs.push(performance.now() - proven)
  bytes.push(proof.length)
  process.stdout.write('.')
}

const peakMb = process.resourceUsage().maxRSS / 1024

/** The p99 of a health route while the service creates proofs without a pause. */
async function healthWhileProving(): Promise<number> {
  const folder = createDataFolder()
  const service = await startService(folder.dir, PORT)
  const url = `http://127.0.0.1:${PORT}`
  const { api_key: key } = credentialsIn(folder.dir)
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const send = async (method: 'GET' | 'POST', path: string, body?: object) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const answer = await fetch(`${url}${path}`, { method, headers, ...sent })
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`)
    return answer.json()
  }
  const countVerified = async (): Promise<number> => {
    const history = await send('GET', '/v1/risk/history/bench-agent?limit=200')
    const { assessments } = history as { assessments: { proof_status: string }[] }
    return assessments.filter((assessment) => assessment.proof_status === 'verified').length
  }
  await send('POST', '/v1/agents', { agent_id: 'bench-agent' })
  const body = { agent_id: 'bench-agent', context: { action_type: 'data_access' } }
  // More than the service can prove during the measurement, and few enough for one page of history.
  for (let n = 0; n < 100; n += 1) await send('POST', '/v1/risk/assess', body)
  // The first proof starts the worker thread, which happens once per process.
  while ((await countVerified()) === 0) await new Promise((resolve) => setTimeout(resolve, 100))
  const before = await countVerified()
  const load = { connections: 4, duration: HEALTH_SECONDS, overallRate: HEALTH_RATE }
  const { latency } = await autocannon({ url: `${url}/health/live`, ...load })
  if ((await countVerified()) === before)
    throw new Error('nothing was proven during the measurement')
  await service.stop()
  folder.remove()
  return latency.p99
}

const healthMs = await healthWhileProving()

const limit = 'our maximum'
const row = (what: string, unit: string, ours: number, peer: number) => ({
  what,
  unit,
  ours,
  peer,
  peerName: limit,
})
report('prove', [
  row('first proof of a process', 'ms', proveMs[0] ?? 0, PROVE_MS_MAX),
  row('prove, median', 'ms', median(proveMs), PROVE_MS_MAX),
  row('prove, slowest', 'ms', Math.max(...proveMs), PROVE_MS_MAX),
  row('verify, median', 'ms', median(verifyMs), VERIFY_MS_MAX),
  row('verify, slowest', 'ms', Math.max(...verifyMs), VERIFY_MS_MAX),
  row('largest proof', 'KB', Math.max(...bytes) / 1000, PROOF_KB_MAX),
  row('peak memory', 'MB', peakMb, PEAK_MB_MAX),
  row('p99 of /health/live while proving', 'ms', healthMs, HEALTH_P99_MS_MAX),
])
