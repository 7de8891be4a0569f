import { availableParallelism } from 'node:os'
import { RISK_FORMULA } from '@touchstone/protocol/risk'
import { PROOF_SYSTEM, type RiskInputsDocument } from '@touchstone/prover'
import { createRiskFeature } from '../areas/risk/assessments/feature.ts'
import type { LinkedTeam } from '../areas/risk/assessments/ports.ts'
import { createProofFeature } from '../areas/risk/proofs/feature.ts'
import type { Prover } from '../areas/risk/proofs/ports.ts'
import { SECOND_MS } from '../kernel/clock.ts'
import type { ServerWorkers } from '../workers/server-workers.ts'
import { wholeBuffers } from '../workers/worker-pool.ts'
import type { createEvidence } from './evidence.ts'
import type { createFleet } from './fleet.ts'
import type { Kernel } from './kernel.ts'
import { rejectHostile, rejectOverload, VERIFY_TIMEOUT_MS } from './overload.ts'
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

/** Ten times the duration of the largest team on a slow machine. */
const TEAM_TIMEOUT_MS = 20 * SECOND_MS
/** A hundred times the usual duration. */
const PROVE_TIMEOUT_MS = 60 * SECOND_MS
/** Proofs are created in the background, so they may queue behind requests. */
const PROOF_WAIT_MS = 300 * SECOND_MS
const PROVE_OPTIONS = { timeoutMs: PROVE_TIMEOUT_MS, waitMs: PROOF_WAIT_MS }
const CHECK_OPTIONS = { timeoutMs: VERIFY_TIMEOUT_MS, waitMs: PROOF_WAIT_MS }
/** Leaves a thread of the pool to requests, if it has more than one. */
const CONCURRENT_PROOFS_MAX = Math.max(1, Math.min(3, availableParallelism() - 2))

/** Risk of the actions of agents, and proofs of the assessments. */
export function createRisk(kernel: Kernel, built: Built) {
  const { platform, evidence, reputation, fleet } = built
  const { db, clock, lifecycle, workers } = kernel
  const proofs: Proofs = createProofs(kernel, evidence, () => assessments.service)
  const findTeam = async (orgId: string, teamId: string): Promise<LinkedTeam | undefined> => {
    const roster = await fleet.teams.service.findRoster(db, orgId, teamId)
    const card = roster && (await fleet.teamCards.service.activeCard(db, teamId))
    return roster && { ...roster, card: card ?? null }
  }
  const { listStates, orgsOf, describe } = evidence.agents.service
  const assessments: Assessments = createRiskFeature(
    {
      db,
      clock,
      agents: {
        listStates,
        orgsOf,
        lockExisting: async (tx, agentIds) =>
          (await describe(tx, agentIds)).map(({ agentId }) => agentId),
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
        lock: (tx, roster) => fleet.teams.service.lockRoster(tx, roster),
      },
      coherence: fleet.coherence.service,
      teamReputation: fleet.teamReputation.service,
      workers: {
        reportTeam: (given) =>
          workers.run('reportTeam', given, { timeoutMs: TEAM_TIMEOUT_MS }).catch(rejectOverload),
      },
    },
    lifecycle,
  )
  return { assessments, proofs }
}

function createProofs(
  kernel: Kernel,
  evidence: Built['evidence'],
  assessments: () => Assessments['service'],
) {
  const { config, db, clock, lifecycle, log, metrics, verifiers, workers } = kernel
  return createProofFeature(
    {
      db,
      clock,
      baseUrl: config.baseUrl,
      atOnceMax: CONCURRENT_PROOFS_MAX,
      assessments: () => {
        const { findProvable, orgOf, lock } = assessments()
        return { find: findProvable, orgOf, lock }
      },
      attestation: evidence.attestation.service,
      prover: createProver(workers),
      external: config.prover && { ...config.prover, outbound: kernel.operatorEgress.request },
      commit: (inputs) => workers.run('commitInputs', toDocument(inputs), CHECK_OPTIONS),
      verifier: (given) =>
        verifiers
          .run('verifyReceiptBody', given, {
            timeoutMs: VERIFY_TIMEOUT_MS,
            moved: wholeBuffers(given.body),
          })
          .catch(rejectHostile),
      onError: (err) => log.error({ err }, 'creating a proof failed'),
      onOutcome: (outcome, provingMs) => {
        metrics.proofs.inc({ outcome })
        if (provingMs !== undefined) metrics.provingDuration.observe(provingMs / 1000)
      },
    },
    lifecycle,
  )
}

/** The built-in prover, which runs on the worker threads. */
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
      programId ??= await workers.run('programId', null, { timeoutMs }).catch(rejectOverload)
      return programId
    },
    prove: (inputs) => workers.run('proveInputs', toDocument(inputs), PROVE_OPTIONS),
    verify: (journal, proof) => workers.run('verifyProof', { journal, proof }, CHECK_OPTIONS),
  }
}

/** The cast is safe, because stored inputs are written by `committedRiskInputs` only. */
function toDocument(inputs: object): RiskInputsDocument {
  return inputs as RiskInputsDocument
}
