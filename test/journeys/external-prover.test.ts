import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { encodeJournal, journalOf, riskProgramId, verifyReceipt } from '@touchstone/prover'
import { beforeAll, describe, expect, it } from 'vitest'
import { onFileFinished } from '#harness/on-file-finished.ts'
import { type RiskWorld, riskWorld } from '#harness/risk.ts'

const SCRIPT = fileURLToPath(new URL('../../docs/guide/external-prover.mjs', import.meta.url))
const KEY = 'prover-key-1'

/** Starts the prover of the guide as a separate process. */
async function startProver(): Promise<string> {
  const child = spawn(process.execPath, [SCRIPT], {
    env: { PATH: process.env['PATH'], PORT: '0', PROVER_KEY: KEY },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onFileFinished(async () => {
    const ended = once(child, 'exit')
    child.kill()
    await ended
  })
  const [line] = await once(child.stdout, 'data')
  return String(line).trim()
}

const worldWith = (url: string, key = KEY): Promise<RiskWorld> =>
  riskWorld({ PROVER_URL: url, PROVER_KEY: key, PROVER_SYSTEM: 'acme-prover/2.1' })

/** Assesses a new agent, attempts its proof up to `tries` times, and returns the proof. */
async function prove(world: RiskWorld, tries = 1) {
  const agentId = await world.agent({
    agent_id: 'proven',
    n: 347,
    components: [920, 720, 700, 650, 390],
    reputation: 756,
    violations: [],
  })
  const { body } = await world.assess(agentId, { action_type: 'data_access' })
  for (let count = 0; count < tries; count += 1) {
    await world.t.app.proveDue()
    world.t.clock.advance(60_000 * 10)
  }
  return (await world.get(`/v1/risk/proofs/${body.proof_id}`)).body
}

async function startFakeProver(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onFileFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

let proverUrl: string

beforeAll(async () => {
  proverUrl = await startProver()
})

describe('an external prover', () => {
  it('creates proofs that our verifier accepts, under its own system name', async () => {
    const world = await worldWith(proverUrl)
    const proof = await prove(world)
    expect(proof).toMatchObject({
      status: 'verified',
      attempts: 1,
      error: null,
      receipt: {
        system: 'acme-prover',
        system_version: '2.1',
        proof_type: 'stark',
        audited: false,
        program_id: riskProgramId(),
        formula: 'risk-v1',
      },
    })
    expect(verifyReceipt(proof.receipt)).toMatchObject({ valid: true })
    const verify = (receipt: object) =>
      world.t.call('POST', '/v1/verify-proof', { body: { receipt } })
    expect((await verify(proof.receipt)).body).toMatchObject({ valid: true })
    const foreign = { ...proof.receipt, program_id: `sha256:${'0'.repeat(64)}`, system: 'other' }
    expect((await verify(foreign)).body).toMatchObject({
      valid: false,
      checks: { program_known: false },
    })
    const { body } = await world.t.call('GET', '/v1/proof-programs')
    expect(body.programs).toEqual([
      expect.objectContaining({ system: 'acme-prover', program_id: riskProgramId() }),
    ])
  })

  it('is tried five times if it rejects our key', async () => {
    const world = await worldWith(proverUrl, 'another-key')
    expect(await prove(world, 6)).toMatchObject({
      status: 'failed',
      attempts: 5,
      error: 'The prover failed.',
      receipt: null,
    })
  })

  it('fails the proof without a retry if it proves a different statement', async () => {
    const url = await startFakeProver(async (req, res) => {
      let text = ''
      for await (const chunk of req) text += String(chunk)
      const { inputs } = JSON.parse(text)
      const other = { ...journalOf(inputs), score_e4: 1 }
      const journal = Buffer.from(encodeJournal(other)).toString('base64')
      res.end(JSON.stringify({ proof: 'AQI=', journal }))
    })
    expect(await prove(await worldWith(url))).toMatchObject({
      status: 'failed',
      attempts: 1,
      receipt: null,
      error: 'The journal differs from the assessment.',
    })
  })

  it('is retried if its proof does not verify', async () => {
    const url = await startFakeProver(async (req, res) => {
      let text = ''
      for await (const chunk of req) text += String(chunk)
      const journal = Buffer.from(encodeJournal(journalOf(JSON.parse(text).inputs)))
      res.end(JSON.stringify({ proof: 'AQI=', journal: journal.toString('base64') }))
    })
    expect(await prove(await worldWith(url))).toMatchObject({
      status: 'pending',
      attempts: 1,
      receipt: null,
      error: 'The verifier rejected the proof.',
    })
  })
})
