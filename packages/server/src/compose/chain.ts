import { hostname } from 'node:os'
import { join } from 'node:path'
import { bytesToHex } from '@touchstone/protocol/base'
import { nodeLookup, nodesForRoot, rootFromNodes } from '@touchstone/protocol/merkle'
import { createAnchoringFeature } from '../areas/chain/anchoring/feature.ts'
import type { Log } from '../areas/chain/anchoring/ports.ts'
import { createPublishingFeature } from '../areas/chain/publishing/feature.ts'
import { createRecordFeature } from '../areas/chain/records/feature.ts'
import { createRelayerFeature } from '../areas/chain/relayer/feature.ts'
import { createChainNode } from '../chain/chain-node.ts'
import type { createEvidence } from './evidence.ts'
import type { Kernel } from './kernel.ts'
import type { createPlatform } from './platform.ts'
import type { createReputation } from './reputation.ts'

type Evidence = ReturnType<typeof createEvidence>
type Built = {
  platform: ReturnType<typeof createPlatform>
  evidence: Evidence
  reputation: ReturnType<typeof createReputation>
}
type Anchoring = ReturnType<typeof createAnchoringFeature>
type Publishing = ReturnType<typeof createPublishingFeature>

const WEI_PER_ETHER = 1e18

/** Publication on the blockchain: anchors, scores and the relayer that sends them. */
export function createChain(kernel: Kernel, built: Built, later: () => { log: Log }) {
  const { platform, evidence, reputation } = built
  const { config, db, clock, lifecycle, log, metrics, notices, secrets } = kernel
  const audit = platform.audit.service
  const agents = evidence.agents.service
  const node = createChainNode(config.chain, {
    dir: join(config.dataDir, 'chain'),
    log: (message) => log.info({ component: 'chain' }, message),
  })
  const relayer = createRelayerFeature(
    {
      db,
      clock,
      secrets,
      notices,
      node,
      mailer: platform.mail.service,
      settings: config.chain,
      adminEmails: config.adminEmails,
      holder: `${hostname()}:${process.pid}:${crypto.randomUUID()}`,
      outcomeHandlers: () => ({
        anchor: anchoring.service.settle,
        publication: publishing.service.settle,
      }),
      onSettled: (kind, outcome) => metrics.chainTransactions.inc({ kind, outcome }),
      onBalance: (wei) => metrics.relayerBalance.set(Number(wei) / WEI_PER_ETHER),
      onError: (err) => log.error({ err }, 'sending a transaction to the chain failed'),
    },
    lifecycle,
  )
  const shared = { db, clock, audit, chainId: node.chainId, relayer: relayer.service }
  const anchoring: Anchoring = createAnchoringFeature(
    {
      ...shared,
      cron: config.chain.anchorCron,
      root: config.chain.anchorRoot,
      log: {
        publishedHead: () => later().log.publishedHead(),
        hasCheckpointOf: (agentId, size) => later().log.hasCheckpointOf(agentId, size),
        proveNewestOf: (agentId, size) => later().log.proveNewestOf(agentId, size),
      },
      agents,
      trees: treesOf(evidence),
    },
    lifecycle,
  )
  const publishing: Publishing = createPublishingFeature(
    {
      ...shared,
      agents,
      rpc: node.rpc,
      scores: reputation.scores.service,
    },
    lifecycle,
  )
  createRecordFeature(
    {
      agents,
      anchors: anchoring.service,
      publications: publishing.service,
    },
    lifecycle,
  )
  return { relayer, anchoring, publishing }
}

/** Adapts the ledger and attestation to the port of the anchoring feature. */
function treesOf({ ledger, attestation }: Evidence) {
  const { treesAfter, hasLeafSince, findEnd } = ledger.service
  return {
    treesAfter,
    hasLeafSince,
    leafCountOf: async (agentId: string) => (await findEnd(agentId))?.leafCount ?? 0,
    async rootsAt(agentId: string, sizes: readonly number[]): Promise<Map<number, string>> {
      const nodes = await attestation.service.nodesOf(agentId, sizes.flatMap(nodesForRoot))
      const read = nodeLookup(nodes)
      return new Map(
        sizes.flatMap((size): [number, string][] => {
          try {
            return [[size, bytesToHex(rootFromNodes(size, read))]]
          } catch {
            // A node is not stored, so the root of this size is unknown.
            return []
          }
        }),
      )
    },
  }
}
