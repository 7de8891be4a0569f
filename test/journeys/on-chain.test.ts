import { execFile } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gradeBytes, type Hex, metadataHash, onChainId } from '@touchstone/protocol/chain'
import { beforeAll, describe, expect, it } from 'vitest'
import { testApp } from '#harness/app.ts'
import { atEnd } from '#harness/at-end.ts'
import { chainReader } from '#harness/chain.ts'
import { freshDatabaseUrl } from '#harness/database.ts'
import { endChain } from '#harness/end-chain.ts'
import { eventually } from '#harness/eventually.ts'
import { type Service, startService, temporaryDir } from '#harness/process.ts'
import { seedAgents } from '#harness/scores.ts'
import {
  merkleAnchorAbi,
  reputationRegistryAbi,
} from '../../packages/server/src/chain/contracts.ts'

const AMOUNT = 200
const HOUR_MS = 3_600_000
/** The one that `testApp` seals with. */
const SECRET_KEY = Buffer.alloc(32, 7).toString('base64')
const ROOT: Hex = `0x${'5a'.repeat(32)}`

let env: Record<string, string>
let token: string
let dir: string
let publications: { agent_id: string; score: number; grade: string }[]

beforeAll(async () => {
  dir = await temporaryDir()
  atEnd(() => endChain(dir))
  const databaseUrl = await freshDatabaseUrl()
  const t = await testApp({ databaseUrl })
  token = t.first.api_key
  const ids = await seedAgents(t, 'chained-', AMOUNT)
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

/** As anybody would who has the address of a node and those of the contracts. */
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

/** Everything that the first run wrote, by the API and by the chain itself. */
async function findEverything(service: Service, txHash: string) {
  const [one] = publications
  if (one === undefined) throw new Error('nothing was published')
  const history = (await service.call('GET', '/v1/on-chain/history', { token })).body
  const { total_anchors, total_publications } = history
  expect(history.publications[0]).toMatchObject({ tx_hash: txHash, agent_count: AMOUNT })
  const proof = await service.call('GET', `/v1/on-chain/verify-proof/${one.agent_id}`, { token })
  expect(proof.body).toMatchObject({ on_chain_score: one.score, verified: true, tx_hash: txHash })
  expect(metadataHash(proof.body.metadata)).toBe(proof.body.metadata_hash)
  const { slot, anchored, contracts } = await readDirectly(service, one.agent_id)
  expect(anchored).toBe(true)
  expect(slot.slice(0, 2)).toEqual([one.score, gradeBytes(one.grade as 'A')])
  expect(slot[3]).toBe(proof.body.block_number)
  expect(slot[5]).toBe(proof.body.metadata_hash.slice(0, 26))
  await checkByGuide(service, contracts.reputation_registry, proof.body)
  return { contracts, total_anchors, total_publications }
}

const VERIFIER = fileURLToPath(new URL('../../docs/guide/verify-score.mjs', import.meta.url))

/** The script of the guide needs nothing but a place to ask. */
async function checkByGuide(
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
  it('are published 200 at a time, are there for anybody, and survive restarts and kills', async () => {
    let service = await startService(env)
    await service.call('POST', '/v1/on-chain/anchor-root', {
      token,
      body: { merkle_root: ROOT, leaf_count: 9, tree_depth: 4 },
    })
    const { status, body } = await service.call('POST', '/v1/on-chain/publish-scores', {
      token,
      body: { publications },
    })
    expect({ status, count: body.agent_count }).toEqual({ status: 200, count: AMOUNT })
    expect(body.gas_used / AMOUNT).toBeLessThanOrEqual(34_000)
    const written = await findEverything(service, body.tx_hash)

    // Stopped in order: the chain writes its state and goes with the service.
    const first = await anvil()
    expect(await service.end('SIGTERM')).toBe(0)
    expect(isAlive(first.pid)).toBe(false)
    service = await startService(env)
    expect(await findEverything(service, body.tx_hash)).toEqual(written)

    // The service is killed: its chain goes on, and the next start finds it.
    const second = await anvil()
    await service.end('SIGKILL')
    expect(isAlive(second.pid)).toBe(true)
    service = await startService(env)
    expect(await findEverything(service, body.tx_hash)).toEqual(written)
    expect((await anvil()).pid).toBe(second.pid)

    // Both are killed, and what the chain held is lost altogether.
    await service.end('SIGKILL')
    process.kill(second.pid, 'SIGKILL')
    await eventually(() => expect(isAlive(second.pid)).toBe(false))
    await rm(join(dir, 'chain', 'state.json'), { force: true })
    service = await startService(env)
    expect(await findEverything(service, body.tx_hash)).toEqual(written)
    expect(await service.end('SIGTERM')).toBe(0)
  })

  it('come back when the state of the chain cannot be read', async () => {
    await writeFile(join(dir, 'chain', 'state.json'), '{"half of')
    const service = await startService(env)
    const [one] = publications
    const proof = await service.call('GET', `/v1/on-chain/verify-proof/${one?.agent_id}`, { token })
    expect(proof.body).toMatchObject({ verified: true })
    expect(await service.end('SIGTERM')).toBe(0)
  })
})
