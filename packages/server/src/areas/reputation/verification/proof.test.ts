import { describe, expect, it } from 'vitest'
import { type Findings, judgeProof, nodesForProof } from './proof.ts'
import { AGENT, depsOf, evidenceOf, KEYS, publishedOf } from './verification.fixture.ts'

const world = evidenceOf(70)
const published = publishedOf(world, 53)

async function findings(change: Partial<Findings> = {}): Promise<Findings> {
  const { attestation } = depsOf(world, published)
  const { state: end, checkpoints } = world
  const latest = checkpoints.at(-1)
  const sizes = { leafCount: end.leafCount, treeSize: published.treeSize }
  const nodes = await attestation.nodesOf(AGENT, nodesForProof(sizes))
  const [rebuilt] = latest === undefined ? [] : await attestation.rebuild(AGENT, [latest])
  const audit = { valid: true }
  return { agentId: AGENT, audit, published, end, nodes, latest, rebuilt, keys: KEYS, ...change }
}

const failed = async (change: (found: Findings) => Partial<Findings>) => {
  const found = await findings()
  return judgeProof({ ...found, ...change(found) }).failed
}

describe('judgeProof', () => {
  it('passes intact evidence', async () => {
    expect(await failed(() => ({}))).toEqual([])
  })

  it('fails when the hash chain is invalid', async () => {
    expect(await failed(() => ({ audit: { valid: false } }))).toEqual(['hash_chain'])
  })

  it('fails when the tree head and the stored nodes give different roots', async () => {
    const wrong = await failed(({ end }) => ({
      end: { ...end, edge: end.edge.with(0, new Uint8Array(32)) },
    }))
    expect(wrong).toEqual(['tree_head'])
  })

  it('fails when the leaf count of the head differs from the number of stored leaves', async () => {
    const wrong = await failed(({ end }) => ({ end: { ...end, leafCount: end.leafCount + 1 } }))
    expect(wrong).toEqual(['tree_head'])
  })

  it('fails when a node of the published tree is missing', async () => {
    const wrong = await failed(({ nodes }) => ({
      nodes: nodes.filter(({ level, index }) => !(level === 0 && index === 52)),
    }))
    expect(wrong).toEqual(['published_root'])
  })

  it('fails when the published root differs from the root of the stored nodes', async () => {
    const wrong = await failed(() => ({ published: { treeSize: 53, root: 'a'.repeat(64) } }))
    expect(wrong).toEqual(['published_root'])
  })

  it.each<[string, (found: Findings) => Partial<Findings>]>([
    ['there is no leaf', () => ({ latest: undefined })],
    ['there is no certificate', () => ({ rebuilt: undefined })],
    ['its key is not published', () => ({ keys: [] })],
    ['it belongs to another agent', () => ({ agentId: 'agent-other' })],
    ['it certifies another chain link', () => ({ latest: world.checkpoints[0] })],
    [
      'its hash differs from the issued one',
      ({ rebuilt }) => ({ rebuilt: rebuilt && { ...rebuilt, certificateHash: 'a'.repeat(64) } }),
    ],
  ])('fails the certificate check when %s', async (_, change) => {
    expect(await failed(change)).toEqual(['certificate'])
  })
})
