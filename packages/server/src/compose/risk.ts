import { availableParallelism } from 'node:os'
import { RISK_FORMULA } from '@touchstone/protocol/risk'
import { PROOF_SYSTEM, type RiskInputsDocument } from '@touchstone/prover'
import { createRiskFeature } from '../areas/risk/assessments/feature.ts'
import type { LinkedTeam } from '../areas/risk/assessments/ports.ts'
import { createProofFeature } from '../areas/risk/proofs/feature.ts'
import type { Prover } from '../areas/risk/proofs/ports.ts'
import type { Config } from '../config.ts'
import { createEgress } from '../egress/egress.ts'
import { unavailable } from '../http/answers/error-map.ts'
import { SECOND_MS } from '../kernel/clock.ts'
import type { ServerWorkers } from '../workers/server-workers.ts'
import { WorkerError } from '../workers/worker-pool.ts'
import type { createEvidence } from './evidence.ts'
import type { createFleet } from './fleet.ts'
import type { Kernel } from './kernel.ts'
import type { createPlatform } from './platform.ts'
import type { createReputation } from './reputation.ts'

type Built = {
  platform: ReturnType<typeof createPlatform>
  evidence: ReturnType<typeof createEvidence>
  reputation: ReturnType<typeof createReputation>
  fleet: ReturnType<typeof createFleet>
}
type Assessments = ReturnType<typeof createRiskFeature>
type Proofs = ReturnType<typeof createProofFeature>

/** Ten times what the largest team takes on a slow machine. */
const TEAM_TIMEOUT_MS = 20 * SECOND_MS
/** A hundred times what they take. */
const PROVE_TIMEOUT_MS = 60 * SECOND_MS
const VERIFY_TIMEOUT_MS = 10 * SECOND_MS
/** Nobody waits for a proof, so it may stand behind whoever does wait. */
const PROOF_WAIT_MS = 300 * SECOND_MS
const PROVING = { timeoutMs: PROVE_TIMEOUT_MS, waitMs: PROOF_WAIT_MS }
const CHECKING = { timeoutMs: VERIFY_TIMEOUT_MS, waitMs: PROOF_WAIT_MS }
/** Of the threads of the pool, one is left to whoever waits for an answer, if there is another. */
const PROOFS_AT_ONCE_MAX = Math.max(1, Math.min(3, availableParallelism() - 2))

/** What it would be to let agents do something. */
export function createRisk(kernel: Kernel, built: Built) {
  const { platform, evidence, reputation, fleet } = built
  const { db, clock, lifecycle, workers } = kernel
  const proofs: Proofs = createProofs(kernel, () => assessments.service)
  const findTeam = async (orgId: string, teamId: string): Promise<LinkedTeam | undefined> => {
    const roster = await fleet.teams.service.findRoster(db, orgId, teamId)
    const card = roster && (await fleet.teamCards.service.activeCard(db, teamId))
    return roster && { ...roster, card: card ?? null }
  }
  const { standings, orgsOf, describe } = evidence.agents.service
  const assessments: Assessments = createRiskFeature(
    {
      db,
      clock,
      agents: {
        standings,
        orgsOf,
        keep: async (tx, agentIds) => (await describe(tx, agentIds)).map(({ agentId }) => agentId),
      },
      cards: evidence.cards.service,
      checkpoints: evidence.ledger.service,
      scores: reputation.scores.service,
      meters: platform.plans.service,
      proofs: proofs.service,
      teams: {
        find: ({ orgId, teamId }) => findTeam(orgId, teamId),
        async findByRoster({ orgId, agentIds }) {
          const teamId = await fleet.teams.service.findByRoster(db, orgId, agentIds)
          return teamId === undefined ? undefined : findTeam(orgId, teamId)
        },
        hold: (tx, roster) => fleet.teams.service.holdRoster(tx, roster),
      },
      coherence: fleet.coherence.service,
      teamReputation: fleet.teamReputation.service,
      workers: {
        reportTeam: (given) =>
          workers.run('reportTeam', given, { timeoutMs: TEAM_TIMEOUT_MS }).catch(refuseOverload),
      },
    },
    lifecycle,
  )
  return { assessments, proofs }
}

function createProofs(kernel: Kernel, assessments: () => Assessments['service']) {
  const { config, db, clock, lifecycle, log, metrics, workers } = kernel
  return createProofFeature(
    {
      db,
      clock,
      baseUrl: config.baseUrl,
      atOnceMax: PROOFS_AT_ONCE_MAX,
      assessments: () => {
        const { findProvable, orgOf, hold } = assessments()
        return { find: findProvable, orgOf, hold }
      },
      prover: createProver(workers),
      external: config.prover && { ...config.prover, outbound: outboundFor(config) },
      commit: (inputs) => workers.run('commitInputs', inputs as RiskInputsDocument, CHECKING),
      verifier: (receipt) =>
        workers
          .run('verifyReceipt', receipt, { timeoutMs: VERIFY_TIMEOUT_MS })
          .catch(refuseOverload),
      onError: (err) => log.error({ err }, 'a proof could not be made'),
      onOutcome: (outcome, provingMs) => {
        metrics.proofs.inc({ outcome })
        if (provingMs !== undefined) metrics.provingDuration.observe(provingMs / 1000)
      },
    },
    lifecycle,
  )
}

/** The address is the operator's, so it may be on this machine. */
function outboundFor({ egressAllowCidrs: allowCidrs }: Config) {
  return createEgress({ allowLoopback: true, allowCidrs }).request
}

/** The one that this service has; its proofs are made on a thread of the pool. */
function createProver(workers: ServerWorkers): Prover {
  let programId: string | undefined
  return {
    proofType: PROOF_SYSTEM.proof_type,
    system: PROOF_SYSTEM.system,
    systemVersion: PROOF_SYSTEM.system_version,
    securityBits: PROOF_SYSTEM.security_bits,
    audited: PROOF_SYSTEM.audited,
    formula: RISK_FORMULA,
    async programId() {
      const timeoutMs = VERIFY_TIMEOUT_MS
      programId ??= await workers.run('programId', null, { timeoutMs }).catch(refuseOverload)
      return programId
    },
    prove: (inputs) => workers.run('proveInputs', inputs as RiskInputsDocument, PROVING),
    verify: (journal, proof) => workers.run('verifyProof', { journal, proof }, CHECKING),
  }
}

function refuseOverload(err: unknown): Promise<never> {
  return Promise.reject(isOverload(err) ? unavailable(err) : err)
}

/** Whoever tries again in a while may have more luck; after a crash that is not to be hoped. */
function isOverload(err: unknown): boolean {
  return err instanceof WorkerError && err.kind !== 'crashed'
}
