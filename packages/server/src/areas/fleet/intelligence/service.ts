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
import { toolsByAction } from './mapped-tools.ts'
import type { Agents, Cards, PairScores, Policies, Team, Teams } from './ports.ts'
import { createInsightStore } from './store.ts'
import { viewTeam } from './team-view.ts'

/** 03 §8. */
const KEPT_MS = 365 * DAY_MS

/** Fewer than usual in one statement: items can be large. */
const PURGE_ROWS_MAX = 100

export type IntelligenceDeps = {
  db: Db
  clock: Clock
  teams: Teams
  agents: Agents
  cards: Cards
  policies: Policies
  pairScores: PairScores
  /** Absent without a model: then the rules answer. */
  adviser: Adviser | undefined
}

export type IntelligenceService = ReturnType<typeof createIntelligenceService>

export function createIntelligenceService(deps: IntelligenceDeps) {
  return {
    ...analysing(deps),
    ...forecasting(deps),
    ...recommending(deps),
    ...reading(deps),
    ...ending(deps),
  }
}

function analysing(deps: IntelligenceDeps) {
  return {
    async findFaultLines(team: Team): Promise<AnalysisItem> {
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
          'The members differ in so many values and actions that the analysis is too large to keep.',
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
      await keep(deps, item, memberIds, (tx) => deps.pairScores.record(tx, pairs))
      return item
    },
  }
}

function forecasting(deps: IntelligenceDeps) {
  return {
    async forecast(team: Team, analysisId: string): Promise<ForecastItem> {
      const analysis = await createInsightStore(deps.db).find(analysisId)
      if (analysis?.type !== 'fault_lines' || analysis.orgId !== team.orgId) {
        throw new Problem('not_found', 'No such fault line analysis.')
      }
      if (analysis.teamId !== team.teamId) {
        throw new Problem('validation_error', 'The analysis is of another team.')
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
        ...said(advice, byRules),
      }
      await keep(deps, item, membersOf(analysis))
      return item
    },
  }
}

function recommending(deps: IntelligenceDeps) {
  return {
    async recommendPolicy(team: Team): Promise<RecommendationItem> {
      assertActive(team)
      const store = createInsightStore(deps.db)
      const analysis = await store.findLatestAnalysis(team.teamId)
      if (analysis === undefined) {
        throw new Problem('validation_error', 'There are no fault lines yet: analyse them first.')
      }
      const { memberIds, cards } = await readMembers(deps, team)
      if (cards.length === 0) throw noCards()
      const forecast = await latestForecast(store, analysis)
      const input: RecommendationInput = {
        teamName: team.name,
        cards,
        memberCount: memberIds.length,
        toolsByAction: await readTools(deps, team, memberIds, cards),
        analysis: forecastInput(analysis.content),
        overallRiskLevel: forecast.overallRiskLevel,
      }
      const draft = recommendByRules(input)
      const advice = await advise(deps, analysis, (adviser) =>
        adviser.recommend({ draft, forecast, view: viewTeam(analysis.content) }),
      )
      const { content, ...by } = said<PolicyDraft>(advice, draft)
      const item: RecommendationItem = {
        type: 'recommendation',
        itemId: newId('rec'),
        createdAt: deps.clock.now(),
        orgId: team.orgId,
        teamId: team.teamId,
        analysisId: analysis.itemId,
        ...by,
        content: judgeDraft(content, input),
      }
      await keep(deps, item, [...new Set([...memberIds, ...membersOf(analysis)])])
      return item
    },
  }
}

function reading(deps: IntelligenceDeps) {
  const store = createInsightStore(deps.db)
  return {
    /** Whose it is decides the caller's side, which alone knows who asks. */
    findTeam: (teamId: string): Promise<Team | undefined> => deps.teams.find(deps.db, teamId),

    list: (
      filter: { teamId: string; type: ItemType | undefined },
      page: PageRequest,
    ): Promise<Page<ListedItem>> => store.list(filter, page),

    async get(teamId: string, itemId: string): Promise<Item> {
      const item = await store.find(itemId)
      if (item?.teamId !== teamId) throw new Problem('not_found', 'No such item.')
      return item
    },
  }
}

function ending(deps: IntelligenceDeps) {
  return {
    /** With an agent that it names. */
    eraseAgent: (tx: Db, agentId: AgentId): Promise<void> =>
      createInsightStore(tx).deleteOfAgent(agentId),

    /** With the team. */
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

function assertActive({ status }: Team): void {
  if (status === 'active') return
  throw new Problem('validation_error', 'The team is archived.')
}

function noCards(): Problem {
  return new Problem('validation_error', 'No member of the team has a card that is in force.')
}

async function readMembers({ db, teams, cards }: IntelligenceDeps, { teamId }: Team) {
  const memberIds = await teams.membersOf(db, teamId)
  const active = await cards.activeCards(db, memberIds)
  return { memberIds, cards: active.map(({ card }) => card) }
}

/** Everybody the analysis was about. */
function membersOf({ content }: AnalysisItem): string[] {
  return [...content.agentIds, ...content.agentsWithoutCard]
}

async function latestForecast(
  store: ReturnType<typeof createInsightStore>,
  { itemId, content }: AnalysisItem,
): Promise<Forecast> {
  const latest = await store.findLatestForecast(itemId)
  return latest?.content ?? forecastByRules(forecastInput(content))
}

async function readTools(
  { policies }: IntelligenceDeps,
  { orgId }: Team,
  memberIds: readonly string[],
  cards: readonly AlignmentCard[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const bounded = cards.flatMap(({ autonomy_envelope }) => autonomy_envelope.bounded_actions)
  const actions = new Set(bounded.map((entry) => actionName(entry)))
  const resolved = []
  for (const agentId of memberIds) resolved.push(await policies.resolved({ orgId, agentId }))
  return toolsByAction(
    resolved.filter((policy) => policy !== undefined),
    actions,
  )
}

/** INVARIANT: no connection is held while a model thinks. Without fault lines there is no question. */
async function advise<Value>(
  { adviser }: IntelligenceDeps,
  { content }: AnalysisItem,
  ask: (adviser: Adviser) => Promise<Advice<Value>>,
): Promise<Advice<Value> | undefined> {
  return adviser === undefined || content.lines.length === 0 ? undefined : ask(adviser)
}

type Said<Value> = { content: Value; producedBy: Producer; fallbackReason: FallbackReason | null }

function said<Value>(advice: Advice<Value> | undefined, byRules: Value): Said<Value> {
  if (advice?.given) {
    return { content: advice.value, producedBy: advice.producedBy, fallbackReason: null }
  }
  return { content: byRules, producedBy: RULES, fallbackReason: advice?.reason ?? null }
}

/** Nothing is kept of agents that were erased while it was made. */
async function keep(
  deps: IntelligenceDeps,
  item: Item,
  agentIds: readonly string[],
  alsoKeep?: (tx: Db) => Promise<void>,
): Promise<void> {
  await transact(deps.db, async (tx) => {
    const there = await deps.agents.describe(tx, agentIds)
    if (there.length < agentIds.length) {
      throw new Problem('conflict', 'A member was erased meanwhile. Ask again.')
    }
    await createInsightStore(tx).insert(item, agentIds)
    await alsoKeep?.(tx)
  })
}
