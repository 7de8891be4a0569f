import { type Batcher, createBatcher } from '../../../kernel/batcher.ts'
import { type Db, isDatabaseDown, transact } from '../../../kernel/db.ts'
import { type AgentId, newId, type OrgId } from '../../../kernel/ids.ts'
import { Problem } from '../../../kernel/problem.ts'
import { type AgentFacts, counterpartyOf, isKnownTo } from './agent-facts.ts'
import { toMinor } from './amount.ts'
import { type Assessment, assess, type RiskContext } from './assessment.ts'
import {
  createFactsService,
  type Facts,
  type FactsDeps,
  type FactsService,
} from './facts-service.ts'
import { createListStore, type Subject } from './list-store.ts'
import type { Agents, Meters, ProofState, Proofs } from './ports.ts'
import { erasedConcurrently, invalid, newSalt, requireKnownAgent } from './question-service.ts'
import {
  type CommittedInputs,
  createAssessmentStore,
  type ShownAssessment,
  type Slice,
} from './store.ts'
import { createTeamRiskService, type TeamDeps } from './team-service.ts'
import { createTeamAssessmentStore, type ShownTeamAssessment } from './team-store.ts'

const METER = 'risk_assessment'

/** Assessments stored in one transaction. */
const BATCH_MAX = 500

/** Long enough that assessments requested at the same time share a transaction. */
const BATCH_AGE_MS_MAX = 1

export type RiskDeps = FactsDeps &
  TeamDeps & {
    db: Db
    agents: Agents
    meters: Meters
    proofs: Proofs
  }

/** A request to assess one agent. */
export type RiskQuestion = {
  orgId: string
  agentId: string
  context: RiskContext
  /** Whether a proof was requested and the plan includes proofs. */
  prove: boolean
  /** For a key that is bound to the agent, which has no private view of other agents. */
  isBound: boolean
}

/** An assessment with the state of its proof, or null if none was requested. */
export type AnsweredAssessment = ShownAssessment & { proof: ProofState | null }

/** An assessment in the list of all of them. */
export type ListedAssessment =
  | { subject: 'agent'; assessment: AnsweredAssessment }
  | { subject: 'team'; assessment: ShownTeamAssessment }

export type History = { assessments: AnsweredAssessment[]; total: number }

export type RiskService = ReturnType<typeof createRiskService>

export function createRiskService(deps: RiskDeps) {
  const { db } = deps
  const facts = createFactsService(deps)
  const teams = createTeamRiskService(deps, facts)
  const assessments = createAssessmentStore(db)
  const teamAssessments = createTeamAssessmentStore(db)
  const batcher = createBatcher<PendingWrite, undefined>({
    async run(batch) {
      await writeAll(deps, batch)
      return batch.map(() => undefined)
    },
    itemsMax: BATCH_MAX,
    ageMsMax: BATCH_AGE_MS_MAX,
    concurrency: 2,
    failTogether: isDatabaseDown,
  })
  return {
    /** Every call creates a new assessment and returns after it is committed. */
    assess: (question: RiskQuestion): Promise<AnsweredAssessment> =>
      assessAgent(deps, facts, batcher, question),

    assessTeam: teams.assess,

    findTeam: teams.find,

    /** The assessments linked to a team, except those with an erased member. */
    teamHistory: teamAssessments.history,

    /** The caller must check who owns the assessment. */
    async find(assessmentId: string): Promise<AnsweredAssessment | undefined> {
      const found = await assessments.find(assessmentId)
      return found && (await withProofs(deps, [found]))[0]
    },

    /** An assessment of one agent with its inputs, for the prover. */
    findProvable: assessments.findProvable,

    /** The owner of an assessment of an agent or of a team. */
    orgOf: (assessmentId: string): Promise<string | undefined> =>
      isOfTeam(assessmentId)
        ? teamAssessments.findOrg(assessmentId)
        : assessments.findOrg(assessmentId),

    /** Locks an assessment of one agent until the transaction ends. */
    lock: (tx: Db, assessmentId: string) => createAssessmentStore(tx).lock(assessmentId),

    /** The inputs of an assessment of an agent or of a team. */
    findInputs: (assessmentId: string): Promise<CommittedInputs | undefined> =>
      isOfTeam(assessmentId)
        ? teamAssessments.findInputs(assessmentId)
        : assessments.findInputs(assessmentId),

    /** Inputs contain facts about agents that are hidden from other organisations. */
    async assertOwn({ orgId, agentIds }: CommittedInputs): Promise<void> {
      const owners = await deps.agents.orgsOf(db, agentIds)
      if (agentIds.every((agentId) => owners.get(agentId) === orgId)) return
      throw new Problem(
        'forbidden',
        'You can see the inputs only if all assessed agents belong to your organisation.',
      )
    },

    async history(of: { orgId: string; agentId: string }, slice: Slice): Promise<History> {
      requireKnownAgent(await facts.read([of.agentId]), of.orgId, of.agentId)
      const { items, total } = await assessments.history(of, slice)
      return { assessments: await withProofs(deps, items), total }
    },

    /** The assessments of agents and of teams that the organisation asked for, newest first. */
    async list(
      orgId: string,
      subject: Subject | undefined,
      slice: Slice,
    ): Promise<{ assessments: ListedAssessment[]; total: number }> {
      const { items, total } = await createListStore(db).list(orgId, subject, slice)
      const idsOf = (wanted: Subject) =>
        items.flatMap((one) => (one.subject === wanted ? [one.assessmentId] : []))
      const [agents, teamsFound] = await Promise.all([
        assessments.findAll(idsOf('agent')).then((found) => withProofs(deps, found)),
        teamAssessments.findAll(idsOf('team')),
      ])
      const byId = new Map<string, ListedAssessment>([
        ...agents.map(
          (assessment) => [assessment.assessmentId, { subject: 'agent', assessment }] as const,
        ),
        ...teamsFound.map(
          (assessment) => [assessment.assessmentId, { subject: 'team', assessment }] as const,
        ),
      ])
      return { assessments: items.flatMap(({ assessmentId: id }) => byId.get(id) ?? []), total }
    },

    async erase(tx: Db, agentId: AgentId): Promise<void> {
      await createAssessmentStore(tx).deleteOfAgent(agentId)
      await createTeamAssessmentStore(tx).eraseAgent(agentId)
    },

    async eraseOrg(tx: Db, orgId: OrgId): Promise<void> {
      await createAssessmentStore(tx).deleteOfOrg(orgId)
      await createTeamAssessmentStore(tx).deleteOfOrg(orgId)
    },

    /** Flushes the pending batch. */
    close: (): Promise<void> => batcher.stop(),
  }
}

async function assessAgent(
  deps: RiskDeps,
  facts: FactsService,
  batcher: Batcher<PendingWrite, undefined>,
  question: RiskQuestion,
): Promise<AnsweredAssessment> {
  const { orgId, agentId, context } = question
  const { counterpartyId } = context
  const amountMinor = minorOf(context)
  if (counterpartyId === agentId) {
    throw invalid('/context/counterparty_id', 'must differ from agent_id')
  }
  const ids = counterpartyId === null ? [agentId] : [agentId, counterpartyId]
  const read = await facts.readShared(ids)
  const agent = requireKnownAgent(read, orgId, agentId)
  const assessment = assess({
    orgId,
    agent,
    context,
    amountMinor,
    now: read.now,
    ...counterpartyIn(read, {
      viewer: question.isBound ? undefined : orgId,
      agent,
      counterpartyId,
    }),
    assessmentId: newId('ra'),
    salt: newSalt(),
  })
  const proofId = question.prove ? deps.proofs.newProofId() : null
  await store(deps, batcher, { assessment, proofId, stored: false })
  return { ...assessment, proof: proofId === null ? null : { proofId, status: 'pending' } }
}

function minorOf({ amount }: RiskContext): number | null {
  if (amount === null) return null
  const minor = toMinor(amount)
  if (minor === undefined) throw invalid('/context/amount', 'must have at most two decimals')
  return minor
}

function counterpartyIn(
  { byAgent, now }: Facts,
  asked: { viewer: string | undefined; agent: AgentFacts; counterpartyId: string | null },
) {
  const { viewer, agent, counterpartyId } = asked
  if (counterpartyId === null) return { counterparty: null, counterpartyId: null }
  const found = byAgent.get(counterpartyId)
  const known = found !== undefined && isKnownTo(viewer, found) ? found : undefined
  const counterparty = counterpartyOf(known, { agent, now })
  return { counterparty, counterpartyId: known === undefined ? null : counterpartyId }
}

/** The writer sets `stored`, which stays false if an agent was erased concurrently. */
type PendingWrite = { assessment: Assessment; proofId: string | null; stored: boolean }

async function store(
  deps: RiskDeps,
  batcher: Batcher<PendingWrite, undefined>,
  write: PendingWrite,
): Promise<void> {
  if (await deps.meters.isCapped(write.assessment.orgId, METER)) await writeCapped(deps, write)
  else await batcher.add(write)
  if (!write.stored) throw erasedConcurrently()
}

/** Not batched, because exceeding the allowance must not fail the rest of a batch. */
async function writeCapped(deps: RiskDeps, write: PendingWrite): Promise<void> {
  await transact(deps.db, async (tx) => {
    const { orgId } = write.assessment
    await insertExisting(deps, tx, [write])
    await deps.meters.recordCapped(tx, { orgId, meter: METER, amount: 1 })
  })
}

async function writeAll(deps: RiskDeps, batch: readonly PendingWrite[]): Promise<void> {
  await transact(deps.db, async (tx) => {
    const amounts = new Map<string, number>()
    for (const { orgId } of await insertExisting(deps, tx, batch)) {
      amounts.set(orgId, (amounts.get(orgId) ?? 0) + 1)
    }
    for (const [orgId, amount] of amounts) {
      await deps.meters.record(tx, { orgId, meter: METER, amount })
    }
  })
}

/** Skips assessments of erased agents; locks the others, so that erasure waits for the commit. */
async function insertExisting(
  deps: RiskDeps,
  tx: Db,
  batch: readonly PendingWrite[],
): Promise<Assessment[]> {
  const existing = new Set(await deps.agents.lockExisting(tx, agentIdsOf(batch)))
  const insertable = batch.filter((write) => agentIdsOf([write]).every((id) => existing.has(id)))
  for (const write of batch) write.stored = insertable.includes(write)
  const assessments = insertable.map(({ assessment }) => assessment)
  if (assessments.length > 0) await createAssessmentStore(tx).insertAll(assessments)
  await deps.proofs.request(tx, insertable.flatMap(toProofRequests))
  return assessments
}

function toProofRequests({ assessment, proofId }: PendingWrite) {
  if (proofId === null) return []
  const { assessmentId, orgId, agentId, counterpartyId, createdAt } = assessment
  return [{ proofId, assessmentId, orgId, agentId, counterpartyId, createdAt }]
}

function agentIdsOf(batch: readonly PendingWrite[]): string[] {
  const ids = batch.flatMap(({ assessment: { agentId, counterpartyId } }) =>
    counterpartyId === null ? [agentId] : [agentId, counterpartyId],
  )
  return [...new Set(ids)].sort()
}

function isOfTeam(assessmentId: string): boolean {
  return assessmentId.startsWith('tra-')
}

async function withProofs(
  { proofs }: RiskDeps,
  found: readonly ShownAssessment[],
): Promise<AnsweredAssessment[]> {
  const states = await proofs.statesOf(found.map(({ assessmentId }) => assessmentId))
  return found.map((one) => ({ ...one, proof: states.get(one.assessmentId) ?? null }))
}
