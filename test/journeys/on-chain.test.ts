import { execFile } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gradeBytes, type Hex, metadataHash, onChainId } from '@touchstone/protocol/chain'
import { beforeAll, describe, expect, it } from 'vitest'
import { testApp } from '#harness/app.ts'
import { chainReader } from '#harness/chain.ts'
import { freshDatabaseUrl } from '#harness/database.ts'
import { endChain } from '#harness/end-chain.ts'
import { eventually } from '#harness/eventually.ts'
import { onFileFinished } from '#harness/on-file-finished.ts'
import { type Service, startService } from '#harness/process.ts'
import { seedAgents } from '#harness/scores.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'
import {
  merkleAnchorAbi,
  reputationRegistryAbi,
} from '../../packages/server/src/chain/contracts.ts'

const AGENTS = 200
const HOUR_MS = 3_600_000
/** The key with which `testApp` encrypts. */
const SECRET_KEY = Buffer.alloc(32, 7).toString('base64')
const ROOT: Hex = `0x${'5a'.repeat(32)}`

let env: Record<string, string>
let token: string
let dir: string
let publications: { agent_id: string; score: number; grade: string }[]

beforeAll(async () => {
  dir = await temporaryDir()
  onFileFinished(() => endChain(dir))
  const databaseUrl = await freshDatabaseUrl()
  const t = await testApp({ databaseUrl })
  token = t.first.api_key
  const ids = await seedAgents(t, 'chained-', AGENTS)
  t.clock.advance(HOUR_MS)
  await t.app.kernel.schedules.fireDue()
  await t.settle()
  const batches = [ids.slice(0, 50), ids.slice(50, 100), ids.slice(100, 150), ids.slice(150)]
  const answers = await Promise.all(
    batches.map((agent_ids) =>
      t.call('POST', '/v1/reputation/batch', { token, body: { agent_ids } }),
    ),
  )
  publications = answers.flatMap(({ body }) =>
    body.scores.map(({ agent_id, score, grade }: (typeof publications)[number]) => ({
      agent_id,
      score,
      grade,
    })),
  )
  env = { DATABASE_URL: databaseUrl, SECRET_KEY, DATA_DIR: dir, ANCHOR_CRON: '' }
})

const anvil = async (): Promise<{ pid: number; url: string }> =>
  JSON.parse(await readFile(join(dir, 'chain', 'anvil.json'), 'utf8'))

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Reads the contracts through a node, without the API of the service. */
async function readDirectly(service: Service, agentId: string) {
  const contracts = (await service.call('GET', '/v1/on-chain/contracts')).body
  const reader = chainReader((await anvil()).url)
  const slot = await reader.readContract({
    abi: reputationRegistryAbi,
    address: contracts.reputation_registry,
    functionName: 'getScore',
    args: [onChainId(agentId)],
  })
  const anchored = await reader.readContract({
    abi: merkleAnchorAbi,
    address: contracts.merkle_anchor,
    functionName: 'isRootAnchored',
    args: [ROOT],
  })
  return { contracts, slot, anchored }
}

/** Checks everything that the first run wrote, through the API and on the chain itself. */
async function expectPublished(service: Service, txHash: string) {
  const [publication] = publications
  if (publication === undefined) throw new Error('nothing was published')
  const history = (await service.call('GET', '/v1/on-chain/history', { token })).body
  const { total_anchors, total_publications } = history
  expect(history.publications[0]).toMatchObject({ tx_hash: txHash, agent_count: AGENTS })
  const proof = await service.call('GET', `/v1/on-chain/verify-proof/${publication.agent_id}`, {
    token,
  })
  expect(proof.body).toMatchObject({
    on_chain_score: publication.score,
    verified: true,
    tx_hash: txHash,
  })
  expect(metadataHash(proof.body.metadata)).toBe(proof.body.metadata_hash)
  const { slot, anchored, contracts } = await readDirectly(service, publication.agent_id)
  expect(anchored).toBe(true)
  expect(slot.slice(0, 2)).toEqual([publication.score, gradeBytes(publication.grade as 'A')])
  expect(slot[3]).toBe(proof.body.block_number)
  expect(slot[5]).toBe(proof.body.metadata_hash.slice(0, 26))
  await expectGuideVerifies(service, contracts.reputation_registry, proof.body)
  return { contracts, total_anchors, total_publications }
}

const VERIFIER = fileURLToPath(new URL('../../docs/guide/verify-score.mjs', import.meta.url))

/** Runs the verifier of the guide, which needs only an RPC URL and the address of the registry. */
async function expectGuideVerifies(
  service: Service,
  registry: string,
  proof: { agent_id: string; metadata: object; tx_hash: string },
) {
  const file = join(dir, 'proof.json')
  const check = async (agentId: string, shown: object) => {
    await writeFile(file, JSON.stringify(shown))
    const args = [VERIFIER, `${service.url}/dev/chain`, registry, agentId, file]
    return promisify(execFile)(process.execPath, args).then(
      ({ stdout }) => stdout,
      ({ stdout }) => String(stdout),
    )
  }
  const good = await check(proof.agent_id, proof)
  expect(good).toContain(`transaction ${proof.tx_hash}`)
  expect(good).toMatch(/^verified$/m)
  const forged = { ...proof, metadata: { ...proof.metadata, confidence: 'certain' } }
  expect(await check(proof.agent_id, forged)).toContain('NOT verified')
  expect(await check('nobody', proof)).toContain('NOT verified')
}

describe('scores on the chain', () => {
  it('are published 200 at a time, can be read by anybody, and survive restarts and kills', async () => {
    let service = await startService(env)
    await service.call('POST', '/v1/on-chain/anchor-root', {
      token,
      body: { merkle_root: ROOT, leaf_count: 9, tree_depth: 4 },
    })
    const { status, body } = await service.call('POST', '/v1/on-chain/publish-scores', {
      token,
      body: { publications },
    })
    expect({ status, count: body.agent_count }).toEqual({ status: 200, count: AGENTS })
    expect(body.gas_used / AGENTS).toBeLessThanOrEqual(34_000)
    const written = await expectPublished(service, body.tx_hash)

    // A clean stop: the chain saves its state and stops with the service.
    const first = await anvil()
    expect(await service.end('SIGTERM')).toBe(0)
    expect(isAlive(first.pid)).toBe(false)
    service = await startService(env)
    expect(await expectPublished(service, body.tx_hash)).toEqual(written)

    // The service is killed: its chain keeps running, and the next start reuses it.
    const second = await anvil()
    await service.end('SIGKILL')
    expect(isAlive(second.pid)).toBe(true)
    service = await startService(env)
    expect(await expectPublished(service, body.tx_hash)).toEqual(written)
    expect((await anvil()).pid).toBe(second.pid)

    // Both are killed and the state of the chain is lost: the service publishes everything again.
    await service.end('SIGKILL')
    process.kill(second.pid, 'SIGKILL')
    await eventually(() => expect(isAlive(second.pid)).toBe(false))
    await rm(join(dir, 'chain', 'state.json'), { force: true })
    service = await startService(env)
    expect(await expectPublished(service, body.tx_hash)).toEqual(written)
    expect(await service.end('SIGTERM')).toBe(0)
  })

  it('are restored if the state file of the chain is corrupt', async () => {
    await writeFile(join(dir, 'chain', 'state.json'), '{"half of')
    const service = await startService(env)
    const [publication] = publications
    const path = `/v1/on-chain/verify-proof/${publication?.agent_id}`
    const proof = await service.call('GET', path, { token })
    expect(proof.body).toMatchObject({ verified: true })
    expect(await service.end('SIGTERM')).toBe(0)
  })
})
