import { spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { committedRiskInputs } from '@touchstone/protocol/risk'
import { encodeJournal, journalOf, proveRisk, riskProgramId, witnessOf } from '@touchstone/prover'
import { beforeAll, describe, expect, it } from 'vitest'
import { startService } from '#harness/process.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'

const pathOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const SCRIPT = pathOf('docs/guide/verify-proof.mjs')
const vector = (name: string) => pathOf(`vectors/proofs/${name}.json`)

/** Passes only PATH, so that no setting of the test run has an effect. */
function verify(...paths: readonly string[]) {
  const env = { PATH: process.env['PATH'] }
  const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, ...paths], { env })
  return { status, output: `${stdout}${stderr}` }
}

const inputs = committedRiskInputs(
  {
    actionType: 'task_delegation',
    riskTolerance: 'moderate',
    analysedCheckpoints: 1200,
    reputation: 950,
    components: {
      integrity_ratio: 980,
      compliance: 1000,
      drift_stability: 960,
      trace_completeness: 900,
      coherence_compatibility: 750,
    },
    violations: [],
    contained: false,
    amountMinor: null,
    maxAutonomousMinor: null,
    counterparty: null,
  },
  {
    assessmentId: 'ra-00000000-0000-4000-8000-000000000002',
    agentId: 'agent-b',
    asOf: '2026-03-01T12:00:00.000Z',
    merkleRoot: null,
    salt: randomBytes(32).toString('hex'),
  },
)

let save: (name: string, document: unknown) => string

beforeAll(async () => {
  const dir = await temporaryDir()
  save = (name, document) => {
    const path = join(dir, name)
    writeFileSync(path, JSON.stringify(document))
    return path
  }
})

describe('the script that verifies a receipt offline', () => {
  it('accepts a published receipt and prints what it proves', () => {
    const { status, output } = verify(vector('accepted-row-1'))
    expect(output).toContain('0.4224, medium, approve, no breakers')
    expect(status).toBe(0)
  })

  it('rejects the receipt of a dishonest prover', () => {
    const { status, output } = verify(vector('rejected-score'))
    expect(output).toMatch(/proof_valid +FAILED/)
    expect(status).toBe(1)
  })

  it('checks whether a receipt is about the disclosed inputs', () => {
    const witness = witnessOf(inputs)
    const journal = journalOf(inputs)
    const proof = proveRisk(witness, journal, randomBytes(32))
    const receipt = {
      program_id: riskProgramId(),
      formula: 'risk-v1',
      journal: Buffer.from(encodeJournal(journal)).toString('base64'),
      proof: Buffer.from(proof).toString('base64'),
      proof_sha256: createHash('sha256').update(proof).digest('hex'),
    }
    const path = save('receipt.json', { proof_id: 'prf-1', receipt })
    expect(verify(path, save('inputs.json', { inputs }))).toMatchObject({ status: 0 })
    const other = { ...inputs, reputation: 949 }
    const { status, output } = verify(path, save('other.json', other))
    expect(output).toMatch(/inputs +FAILED/)
    expect(status).toBe(1)
  })

  it('exits with 2 without a receipt', () => {
    expect(verify(save('nothing.json', {}))).toMatchObject({ status: 2 })
    expect(verify()).toMatchObject({ status: 2 })
  })
})

describe('a running service', () => {
  it('proves its assessment, and the script accepts the proof', async () => {
    const dir = await temporaryDir()
    const service = await startService({ DATA_DIR: dir })
    const { api_key: token } = JSON.parse(readFileSync(join(dir, 'credentials.json'), 'utf8'))
    const get = async (path: string) => (await service.call('GET', path, { token })).body
    await service.call('POST', '/v1/agents', { token, body: { agent_id: 'buyer' } })
    const body = { agent_id: 'buyer', context: { action_type: 'data_access' } }
    const assessed = (await service.call('POST', '/v1/risk/assess', { token, body })).body
    const proofPath = `/v1/risk/proofs/${assessed.proof_id}`
    const status = async () => (await get(proofPath)).status
    await expect.poll(status).toBe('verified')
    const paths = [
      save('proof.json', await get(proofPath)),
      save('disclosed.json', await get(`/v1/risk/assessments/${assessed.assessment_id}/inputs`)),
    ]
    const { status: code, output } = verify(...paths)
    expect(output).toContain(`${assessed.risk_score.toFixed(4)}, ${assessed.risk_level}`)
    expect(code).toBe(0)
    expect(await service.end()).toBe(0)
  })
})
