import { type AlignmentCard, actionName } from '@touchstone/protocol/cards'
import {
  type Forecast,
  findFaultLines,
  forecastByRules,
  judgeDraft,
  type PolicyDraft,
  type RecommendationInput,
  recommendByRules,
} from '@touchstone/protocol/intelligence'
import { compareCodePoints } from '@touchstone/protocol/score'
import { type Clock, DAY_MS, later } from '../../../kernel/clock.ts'
import type { Page, PageRequest } from '../../../kernel/db.ts'
import { type Db, purgeInPages, transact } from '../../../kernel/db.ts'
import { type AgentId, newId, type TeamId } from '../../../kernel/ids.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { Advice, Adviser } from './adviser-client.ts'
import {
  ALGORITHM,
  ANALYSIS_CHARACTERS_MAX,
  type AnalysisItem,
  type FallbackReason,
  type ForecastItem,
  forecastInput,
  type Item,
  type ItemType,
  type ListedItem,
  lengthOf,
  type Producer,
  type RecommendationItem,
  RULES,
} from './item.ts'
import { type MemberMapping, toolsByAction } from './mapped-tools.ts'
import type { Agents, Cards, PairScores, Policies, Team, Teams } from './ports.ts'
import { createInsightStore } from './store.ts'
import { viewTeam } from './team-view.ts'

/** Retention of items (spec: fleet §5). */
const KEPT_MS = 365 * DAY_MS

/** Fewer rows per statement than usual, because items can be large. */
const PURGE_ROWS_MAX = 100

export type IntelligenceDeps = {
  db: Db
  clock: Clock
  teams: Teams
  agents: Agents
  cards: Cards
  policies: Policies
  pairScores: PairScores
  /** Undefined without a model; the rules are used instead. */
  adviser: Adviser | undefined
}

export type IntelligenceService = ReturnType<typeof createIntelligenceService>

export function createIntelligenceService(deps: IntelligenceDeps) {
  const insights = createInsightStore(deps.db)
  return {
    findFaultLines: (team: Team): Promise<AnalysisItem> => analyse(deps, team),
    forecast: (team: Team, analysisId: string): Promise<ForecastItem> =>
      forecast(deps, team, analysisId),
    recommendPolicy: (team: Team): Promise<RecommendationItem> => recommend(deps, team),

    /** The caller must check that the credential may read the team. */
    findTeam: (teamId: string): Promise<Team | undefined> => deps.teams.find(deps.db, teamId),

    list: (
      filter: { teamId: string; type: ItemType | undefined },
      page: PageRequest,
    ): Promise<Page<ListedItem>> => insights.list(filter, page),

    async get(teamId: string, itemId: string): Promise<Item> {
      const item = await insights.find(itemId)
      if (item?.teamId !== teamId) throw new Problem('not_found', 'No such item.')
      return item
    },

    /** Called when an agent that items name is erased. */
    eraseAgent: (tx: Db, agentId: AgentId): Promise<void> =>
      createInsightStore(tx).deleteOfAgent(agentId),

    /** Called when a team is erased. */
    eraseTeam: (tx: Db, teamId: TeamId): Promise<void> =>
      createInsightStore(tx).deleteOfTeam(teamId),

    async purge(now: Date): Promise<number> {
      const before = later(now, -KEPT_MS)
      return purgeInPages(
        (rowsMax) =>
          transact(deps.db, (tx) => createInsightStore(tx).deleteBefore(before, rowsMax)),
        PURGE_ROWS_MAX,
      )
    },
  }
}

async function analyse(deps: IntelligenceDeps, team: Team): Promise<AnalysisItem> {
  assertActive(team)
  const { memberIds, cards } = await readMembers(deps, team)
  if (cards.length === 0) throw noCards()
  const { pairs, ...found } = findFaultLines(cards)
  const withCard = new Set(found.agentIds)
  const content = {
    ...found,
    agentsWithoutCard: memberIds.filter((id) => !withCard.has(id)).sort(compareCodePoints),
  }
  if (lengthOf(content) > ANALYSIS_CHARACTERS_MAX) {
    throw new Problem(
      'validation_error',
      'The members differ in too many values and actions: the analysis would be too large.',
    )
  }
  const itemId = newId('fla')
  const item: AnalysisItem = {
    type: 'fault_lines',
    itemId,
    analysisId: itemId,
    orgId: team.orgId,
    teamId: team.teamId,
    producedBy: ALGORITHM,
    fallbackReason: null,
    content,
    createdAt: deps.clock.now(),
  }
  await saveItem(deps, item, memberIds, (tx) =>
    deps.pairScores.record(tx, pairs, { orgId: team.orgId }),
  )
  return item
}

async function forecast(
  deps: IntelligenceDeps,
  team: Team,
  analysisId: string,
): Promise<ForecastItem> {
  const analysis = await createInsightStore(deps.db).find(analysisId)
  if (analysis?.type !== 'fault_lines' || analysis.orgId !== team.orgId) {
    throw new Problem('not_found', 'No such fault line analysis.')
  }
  if (analysis.teamId !== team.teamId) {
    throw new Problem('validation_error', 'The analysis belongs to another team.')
  }
  assertActive(team)
  const byRules = forecastByRules(forecastInput(analysis.content))
  const advice = await advise(deps, analysis, (adviser) =>
    adviser.forecast(viewTeam(analysis.content)),
  )
  const item: ForecastItem = {
    type: 'forecast',
    itemId: newId('fc'),
    analysisId,
    createdAt: deps.clock.now(),
    orgId: team.orgId,
    teamId: team.teamId,
    ...adviceOrRules(advice, byRules),
  }
  await saveItem(deps, item, membersOf(analysis))
  return item
}

async function recommend(deps: IntelligenceDeps, team: Team): Promise<RecommendationItem> {
  assertActive(team)
  const insights = createInsightStore(deps.db)
  const analysis = await insights.findLatestAnalysis(team.teamId)
  if (analysis === undefined) {
    throw new Problem(
      'validation_error',
      'The team has no fault line analysis yet; create one first.',
    )
  }
  const { memberIds, cards } = await readMembers(deps, team)
  if (cards.length === 0) throw noCards()
  const latest = await latestForecast(insights, analysis)
  const input: RecommendationInput = {
    teamName: team.name,
    cards,
    memberCount: memberIds.length,
    toolsByAction: await readTools(deps, team, cards),
    analysis: forecastInput(analysis.content),
    overallRiskLevel: latest.overallRiskLevel,
  }
  const draft = recommendByRules(input)
  const advice = await advise(deps, analysis, (adviser) =>
    adviser.recommend({ draft, forecast: latest, view: viewTeam(analysis.content) }),
  )
  const { content, ...source } = adviceOrRules<PolicyDraft>(advice, draft)
  const item: RecommendationItem = {
    type: 'recommendation',
    itemId: newId('rec'),
    createdAt: deps.clock.now(),
    orgId: team.orgId,
    teamId: team.teamId,
    analysisId: analysis.itemId,
    ...source,
    content: judgeDraft(content, input),
  }
  await saveItem(deps, item, [...new Set([...memberIds, ...membersOf(analysis)])])
  return item
}

function assertActive({ status }: Team): void {
  if (status === 'active') return
  throw new Problem('validation_error', 'The team is archived.')
}

function noCards(): Problem {
  return new Problem('validation_error', 'No member of the team has an active card.')
}

async function readMembers({ db, teams, cards }: IntelligenceDeps, { teamId }: Team) {
  const memberIds = await teams.membersOf(db, teamId)
  const active = await cards.activeCards(db, memberIds)
  return { memberIds, cards: active.map(({ card }) => card) }
}

/** All agents that the analysis covers. */
function membersOf({ content }: AnalysisItem): string[] {
  return [...content.agentIds, ...content.agentsWithoutCard]
}

async function latestForecast(
  insights: ReturnType<typeof createInsightStore>,
  { itemId, content }: AnalysisItem,
): Promise<Forecast> {
  const latest = await insights.findLatestForecast(itemId)
  return latest?.content ?? forecastByRules(forecastInput(content))
}

async function readTools(
  { policies }: IntelligenceDeps,
  { orgId }: Team,
  cards: readonly AlignmentCard[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const members: MemberMapping[] = []
  for (const { agent_id: agentId, autonomy_envelope } of cards) {
    const policy = await policies.resolved({ orgId, agentId })
    const actions = new Set(autonomy_envelope.bounded_actions.map((entry) => actionName(entry)))
    if (policy !== undefined) members.push({ policy, actions })
  }
  return toolsByAction(members)
}

/**
 * Asks the model, if there is one and the analysis has fault lines to ask about.
 * INVARIANT: no database connection is held during the call.
 */
async function advise<Value>(
  { adviser }: IntelligenceDeps,
  { content }: AnalysisItem,
  ask: (adviser: Adviser) => Promise<Advice<Value>>,
): Promise<Advice<Value> | undefined> {
  return adviser === undefined || content.lines.length === 0 ? undefined : ask(adviser)
}

type Attributed<Value> = {
  content: Value
  producedBy: Producer
  fallbackReason: FallbackReason | null
}

function adviceOrRules<Value>(
  advice: Advice<Value> | undefined,
  byRules: Value,
): Attributed<Value> {
  if (advice?.given) {
    return { content: advice.value, producedBy: advice.producedBy, fallbackReason: null }
  }
  return { content: byRules, producedBy: RULES, fallbackReason: advice?.reason ?? null }
}

/** Locks the agents first: an item about an agent that was erased meanwhile must not be stored. */
async function saveItem(
  deps: IntelligenceDeps,
  item: Item,
  agentIds: readonly string[],
  alsoWrite?: (tx: Db) => Promise<void>,
): Promise<void> {
  await transact(deps.db, async (tx) => {
    const existing = await deps.agents.describe(tx, agentIds)
    if (existing.length < agentIds.length) {
      throw new Problem('conflict', 'A member was erased during the request; retry it.')
    }
    await createInsightStore(tx).insert(item, agentIds)
    await alsoWrite?.(tx)
  })
}
