import { type Batcher, createBatcher } from '../../../kernel/batcher.ts'
import { type Db, isDatabaseDown, transact } from '../../../kernel/db.ts'
import { type AgentId, newId, type OrgId } from '../../../kernel/ids.ts'
import { Problem } from '../../../kernel/problem.ts'
import { type AgentFacts, counterpartyOf, isKnownTo } from './agent-facts.ts'
import { toMinor } from './amount.ts'
import { type Assessment, assess, type RiskContext } from './assessment.ts'
import { createFacts, type Facts, type FactsDeps, type FactsService } from './facts-service.ts'
import type { Agents, Meters, ProofState, Proofs } from './ports.ts'
import { erasedMeanwhile, knownAgent, newSalt, refusal } from './question-service.ts'
import { createAssessmentStore, type Opened, type ShownAssessment } from './store.ts'
import { createTeamService, type TeamDeps } from './team-service.ts'
import { createTeamAssessmentStore } from './team-store.ts'

const METER = 'risk_assessment'

/** Assessments of one transaction. */
const BATCH_MAX = 500

export type RiskDeps = FactsDeps &
  TeamDeps & {
    db: Db
    agents: Agents
    meters: Meters
    proofs: Proofs
  }

/** What is asked about one agent. */
export type RiskQuestion = {
  orgId: string
  agentId: string
  context: RiskContext
  /** Asked for, and within the plan. */
  prove: boolean
}

/** With what has become of its proof, if there is to be one. */
export type AnsweredAssessment = ShownAssessment & { proof: ProofState | null }

export type RiskService = ReturnType<typeof createRiskService>

export function createRiskService(deps: RiskDeps) {
  const facts = createFacts(deps)
  const batcher = createBatcher<Writing, undefined>({
    async run(batch) {
      await writeAll(deps, batch)
      return batch.map(() => undefined)
    },
    itemsMax: BATCH_MAX,
    ageMsMax: 0,
    concurrency: 2,
    failTogether: isDatabaseDown,
  })
  return {
    ...assessing(deps, facts, batcher),
    ...createTeamService(deps, facts),
    ...reading(deps, facts),
    ...ending(),
    /** Writes the assessments that are still waiting. */
    close: (): Promise<void> => batcher.stop(),
  }
}

function assessing(deps: RiskDeps, facts: FactsService, batcher: Batcher<Writing, undefined>) {
  return {
    /** Every question is a new assessment, and answered once it is stored. */
    async assess(question: RiskQuestion): Promise<AnsweredAssessment> {
      const { orgId, agentId, context } = question
      const { counterpartyId } = context
      const amountMinor = minorOf(context)
      if (counterpartyId === agentId) {
        throw refusal('/context/counterparty_id', 'must be another one than agent_id')
      }
      const ids = counterpartyId === null ? [agentId] : [agentId, counterpartyId]
      const read = await facts.readShared(ids)
      const agent = knownAgent(read, orgId, agentId)
      const assessment = assess({
        orgId,
        agent,
        context,
        amountMinor,
        now: read.now,
        ...counterpartyIn(read, { orgId, agent, counterpartyId }),
        assessmentId: newId('ra'),
        salt: newSalt(),
      })
      const proofId = question.prove ? deps.proofs.newProofId() : null
      await store(deps, batcher, { assessment, proofId, stored: false })
      return { ...assessment, proof: proofId === null ? null : { proofId, status: 'pending' } }
    },
  }
}

function minorOf({ amount }: RiskContext): number | null {
  if (amount === null) return null
  const minor = toMinor(amount)
  if (minor === undefined) throw refusal('/context/amount', 'must have at most two decimals')
  return minor
}

function counterpartyIn(
  { byAgent, now }: Facts,
  asked: { orgId: string; agent: AgentFacts; counterpartyId: string | null },
) {
  const { orgId, agent, counterpartyId } = asked
  if (counterpartyId === null) return { counterparty: null, counterpartyId: null }
  const found = byAgent.get(counterpartyId)
  const known = found !== undefined && isKnownTo(orgId, found) ? found : undefined
  const counterparty = counterpartyOf(known, { agent, now })
  return { counterparty, counterpartyId: known === undefined ? null : counterpartyId }
}

/** `stored` is said by whoever writes it: not where an agent was erased meanwhile. */
type Writing = { assessment: Assessment; proofId: string | null; stored: boolean }

async function store(
  deps: RiskDeps,
  batcher: Batcher<Writing, undefined>,
  writing: Writing,
): Promise<void> {
  if (await deps.meters.isCapped(writing.assessment.orgId, METER)) await writeCapped(deps, writing)
  else await batcher.add(writing)
  if (!writing.stored) throw erasedMeanwhile()
}

/** Alone, because one that is too much must not keep others from being stored. */
async function writeCapped(deps: RiskDeps, writing: Writing): Promise<void> {
  await transact(deps.db, async (tx) => {
    const { orgId } = writing.assessment
    await insertKept(deps, tx, [writing])
    await deps.meters.recordCapped(tx, { orgId, meter: METER, amount: 1 })
  })
}

async function writeAll(deps: RiskDeps, group: readonly Writing[]): Promise<void> {
  await transact(deps.db, async (tx) => {
    const amounts = new Map<string, number>()
    for (const { orgId } of await insertKept(deps, tx, group)) {
      amounts.set(orgId, (amounts.get(orgId) ?? 0) + 1)
    }
    for (const [orgId, amount] of amounts) {
      await deps.meters.record(tx, { orgId, meter: METER, amount })
    }
  })
}

/** Nothing about an agent may come after its erasure. */
async function insertKept(
  deps: RiskDeps,
  tx: Db,
  group: readonly Writing[],
): Promise<Assessment[]> {
  const there = new Set(await deps.agents.keep(tx, namedIn(group)))
  const kept = group.filter((writing) => namedIn([writing]).every((id) => there.has(id)))
  for (const writing of group) writing.stored = kept.includes(writing)
  const assessments = kept.map(({ assessment }) => assessment)
  if (assessments.length > 0) await createAssessmentStore(tx).insertAll(assessments)
  await deps.proofs.request(tx, kept.flatMap(proofIn))
  return assessments
}

function proofIn({ assessment, proofId }: Writing) {
  if (proofId === null) return []
  const { assessmentId, orgId, agentId, counterpartyId, createdAt } = assessment
  return [{ proofId, assessmentId, orgId, agentId, counterpartyId, createdAt }]
}

function namedIn(group: readonly Writing[]): string[] {
  const ids = group.flatMap(({ assessment: { agentId, counterpartyId } }) =>
    counterpartyId === null ? [agentId] : [agentId, counterpartyId],
  )
  return [...new Set(ids)].sort()
}

export type History = { assessments: AnsweredAssessment[]; total: number }

function reading(deps: RiskDeps, facts: FactsService) {
  return {
    /** Whose it is, the caller must ask. */
    async find(assessmentId: string): Promise<AnsweredAssessment | undefined> {
      const found = await createAssessmentStore(deps.db).find(assessmentId)
      return found && (await withProofs(deps, [found]))[0]
    },

    /** With what it follows from, for whoever proves that it does. */
    findProvable: (assessmentId: string) =>
      createAssessmentStore(deps.db).findProvable(assessmentId),

    /** Of one agent or of a team, by the id. */
    orgOf: (assessmentId: string): Promise<string | undefined> =>
      isOfTeam(assessmentId)
        ? createTeamAssessmentStore(deps.db).findOrg(assessmentId)
        : createAssessmentStore(deps.db).findOrg(assessmentId),

    /** Of one agent; it stays until the transaction ends. */
    hold: (tx: Db, assessmentId: string) => createAssessmentStore(tx).hold(assessmentId),

    /** Of one agent or of a team, by the id. */
    async findInputs(assessmentId: string): Promise<Opened | undefined> {
      return isOfTeam(assessmentId)
        ? createTeamAssessmentStore(deps.db).findInputs(assessmentId)
        : createAssessmentStore(deps.db).findInputs(assessmentId)
    },

    /** What is secret of others' agents stands in the inputs, too. */
    async assertOwn({ orgId, agentIds }: Opened): Promise<void> {
      const owners = await deps.agents.orgsOf(deps.db, agentIds)
      if (agentIds.every((agentId) => owners.get(agentId) === orgId)) return
      throw new Problem('forbidden', 'Inputs are shown only where all assessed agents are yours.')
    },

    async history(of: { orgId: string; agentId: string }, limit: number): Promise<History> {
      knownAgent(await facts.read([of.agentId]), of.orgId, of.agentId)
      const { items, total } = await createAssessmentStore(deps.db).history(of, limit)
      return { assessments: await withProofs(deps, items), total }
    },
  }
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

function ending() {
  return {
    async erase(tx: Db, agentId: AgentId): Promise<void> {
      await createAssessmentStore(tx).deleteOfAgent(agentId)
      await createTeamAssessmentStore(tx).forgetAgent(agentId)
    },

    async eraseOrg(tx: Db, orgId: OrgId): Promise<void> {
      await createAssessmentStore(tx).deleteOfOrg(orgId)
      await createTeamAssessmentStore(tx).deleteOfOrg(orgId)
    },
  }
}
