import { hostname } from 'node:os'
import { createEntryFeature } from '../areas/log/entries/feature.ts'
import { createPackFeature } from '../areas/log/packs/feature.ts'
import { createReadingFeature } from '../areas/log/reading/feature.ts'
import { createSequencerFeature, createTileStore } from '../areas/log/sequencer/feature.ts'
import { createWitnessFeature } from '../areas/log/witnesses/feature.ts'
import type { createControl } from './control.ts'
import type { createEvidence } from './evidence.ts'
import type { createGovernance } from './governance.ts'
import type { Kernel } from './kernel.ts'
import type { createPlatform } from './platform.ts'

type Built = {
  platform: ReturnType<typeof createPlatform>
  evidence: ReturnType<typeof createEvidence>
  control: ReturnType<typeof createControl>
  governance: ReturnType<typeof createGovernance>
}
type Sequencer = ReturnType<typeof createSequencerFeature>
type Witnesses = ReturnType<typeof createWitnessFeature>

/** The witnessed log: its entries, the tree over them, and those who watch that it only grows. */
export function createLog(kernel: Kernel, { platform, evidence, control, governance }: Built) {
  const { config, db, clock, events, lifecycle, notices, secrets, logQueue } = kernel
  const agents = evidence.agents.service
  const onError = (err: unknown) => kernel.log.error({ err }, 'the witnessed log failed')
  const entries = createEntryFeature(
    {
      db,
      clock,
      notices,
      secrets,
      agents,
      log: { sizeAt: (time) => sequencer.service.sizeAt(time) },
      decisionRetentionDays: config.decisionRetentionDays,
    },
    lifecycle,
  )
  const sequencer: Sequencer = createSequencerFeature(
    {
      db,
      clock,
      secrets,
      queue: logQueue,
      baseUrl: config.baseUrl,
      keyRecords: evidence.attestation.service.keyRecords,
      origin: config.witnessedLog.origin,
      entries: entries.service,
      tiles: createTileStore(db, config.witnessedLog.store),
      holder: `${hostname()}:${process.pid}:${crypto.randomUUID()}`,
      async onRound({ kind }) {
        if (kind === 'follows') return
        await witnesses.service.watch()
        witnesses.service.tick()
      },
      publishedSize: async () => (await witnesses.service.published())?.size ?? 0,
      onError,
    },
    lifecycle,
  )
  const log = sequencer.service
  const witnesses: Witnesses = createWitnessFeature(
    {
      db,
      clock,
      events,
      log,
      outbound: kernel.operatorEgress.request,
      orgs: platform.orgs.service,
      witnesses: config.witnessedLog.witnesses,
      quorum: config.witnessedLog.witnessQuorum,
      onError,
    },
    lifecycle,
  )
  const reading = createReadingFeature(
    {
      clock,
      entries: entries.service,
      log: {
        key: async () => (await log.signer()).key,
        async coseSigner() {
          const { origin, published, sign } = await log.signer()
          return { origin, keyId: published.key_id, sign }
        },
        newest: log.newest,
        findHolding: log.findHolding,
        getTile: log.getTile,
        fault: log.fault,
      },
      sizes: {
        at: (tx, time) => log.checkpoints(tx).sizeAt(time),
        witnessed: witnesses.service.witnessedSize,
      },
      witnesses: witnesses.service,
      agents,
      decisions: governance.decisions.reads,
      baseUrl: config.baseUrl,
      onError,
    },
    lifecycle,
  )
  const packs = createPackFeature(
    {
      db,
      clock,
      jobs: kernel.jobs,
      agents: {
        orgOf: async (agentId, tx) => (await agents.orgsOf(tx, [agentId])).get(agentId),
      },
      entries: entries.service,
      log: {
        published: witnesses.service.published,
        sizeAt: log.sizeAt,
        sizeSince: log.sizeSince,
        readTile: reading.service.readTile,
        readEntries: reading.service.readEntries,
        proofText: reading.service.proofAt,
        policy: reading.service.policy,
      },
      decisions: governance.decisions.reads,
      policies: governance.policies.service,
      details: {
        checkpoints: evidence.ledger.service.recordsOf,
        containment: control.containment.service.entriesOf,
      },
      people: { emails: platform.orgs.service.emailsOf },
      origin: async () => (await log.signer()).origin,
      onError,
    },
    lifecycle,
  )
  return { entries, packs, sequencer, witnesses, reading, sequence: log.runDue }
}
