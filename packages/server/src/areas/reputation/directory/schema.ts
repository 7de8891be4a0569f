import {
  ASSURANCE_LEVELS,
  type Benchmarks as BenchmarkFigures,
  COMPONENTS,
  type ComponentKey,
  DIRECTORY_SORTS,
  type DirectorySort,
  GRADES,
  NOT_RATED,
} from '@touchstone/protocol/score'
import { type Static, Type } from 'typebox'
import { AssuranceLevel, AssuredScore } from '../../../assurance-wire.ts'
import { NamedEnum, NamedObject } from '../../../http/openapi/named.ts'
import { Nullable, PageFields, PageQuery, toPageFields } from '../../../http/wire.ts'
import type { Page } from '../../../kernel/db.ts'
import { Problem } from '../../../kernel/problem.ts'
import { Reclassified, toReclassified } from '../../../reclassified-wire.ts'
import type { Search } from './directory-index.ts'
import type { Entry, IndexedEntry } from './entry.ts'

const BATCH_MAX = 50
const COMPARED_MIN = 2
const COMPARED_MAX = 10
const TEXT_CHARACTERS_MAX = 200

const GradeName = NamedEnum(
  'RatedGrade',
  GRADES.map(({ grade }) => grade),
)
const AnyGrade = NamedEnum('Grade', [...GRADES.map(({ grade }) => grade), NOT_RATED.grade])
const RatedConfidence = NamedEnum('RatedConfidence', ['low', 'medium', 'high'])
const AnyConfidence = NamedEnum('Confidence', ['insufficient', 'low', 'medium', 'high'])

export const BatchBody = NamedObject('ReputationBatchRequest', {
  agent_ids: Type.Array(Type.String(), { minItems: 1, maxItems: BATCH_MAX }),
})

export const BatchScores = NamedObject('ReputationBatch', {
  scores: Type.Array(
    NamedObject('ReputationSummary', {
      agent_id: Type.String(),
      score: Nullable(
        Type.Integer({ description: 'null if the agent is not rated or you cannot see it' }),
      ),
      grade: AnyGrade,
      tier: Type.String(),
      confidence: AnyConfidence,
      trend_30d: Type.Integer(),
      assurance: Nullable(AssuranceLevel),
      assured_score: AssuredScore,
    }),
  ),
})

export const SearchQuery = Type.Object({
  q: Type.Optional(
    Type.String({ description: 'part of the name or id, at most 200 characters; case is ignored' }),
  ),
  grade: Type.Optional(GradeName),
  confidence: Type.Optional(RatedConfidence),
  assurance: Type.Optional(
    Type.Enum(
      ASSURANCE_LEVELS.map(({ level }) => String(level)),
      {
        description: 'at least this assurance level, 0 to 4',
      },
    ),
  ),
  sort: Type.Optional(
    NamedEnum('DirectorySort', [...DIRECTORY_SORTS], {
      description: 'default score; names ascend, numbers descend; ties by score, then id',
    }),
  ),
  ...PageQuery.properties,
})

export const DirectoryPage = NamedObject('DirectoryEntryPage', {
  agents: Type.Array(
    NamedObject('DirectoryEntry', {
      agent_id: Type.String(),
      agent_name: Type.String(),
      score: Type.Integer(),
      grade: GradeName,
      tier: Type.String(),
      confidence: AnyConfidence,
      checkpoint_count: Type.Integer(),
      trend_30d: Type.Integer(),
      assurance: Nullable(AssuranceLevel),
      assured_score: AssuredScore,
      visibility: Type.Enum(['public', 'unlisted']),
      claimed: Type.Boolean(),
      reclassified: Reclassified,
    }),
  ),
  ...PageFields,
})

export const CompareQuery = Type.Object({
  agent_ids: Type.String({ description: '2 to 10 ids, separated by commas' }),
})

const ByComponent = NamedObject(
  'ComponentScores',
  Object.fromEntries(COMPONENTS.map(({ key }) => [key, Nullable(Type.Integer())])) as Record<
    ComponentKey,
    ReturnType<typeof Nullable<Type.TInteger>>
  >,
)

export const Comparison = NamedObject('ReputationComparison', {
  agents: Type.Array(
    NamedObject('ComparedReputation', {
      agent_id: Type.String(),
      score: Nullable(Type.Integer()),
      grade: AnyGrade,
      assurance: Nullable(AssuranceLevel),
      assured_score: AssuredScore,
      components: ByComponent,
    }),
  ),
})

export const Benchmarks = NamedObject('Benchmarks', {
  total_scored: Type.Integer(),
  mean_score: Type.Integer(),
  median_score: Type.Integer(),
  distribution: Type.Array(
    NamedObject('GradeShare', {
      grade: GradeName,
      count: Type.Integer(),
      percentage: Type.Number(),
    }),
  ),
  percentiles: Type.Object({
    p10: Type.Integer(),
    p25: Type.Integer(),
    p50: Type.Integer(),
    p75: Type.Integer(),
    p90: Type.Integer(),
  }),
  assurance_levels: Type.Record(Type.String(), Type.Integer(), {
    description: 'the number of agents at each assurance level, 0 to 4',
  }),
})

export function toSearch(orgId: string, query: Static<typeof SearchQuery>): Search {
  const text = query.q?.trim() ?? ''
  if ([...text].length > TEXT_CHARACTERS_MAX) {
    throw new Problem('invalid_request', `q: must be at most ${TEXT_CHARACTERS_MAX} characters`)
  }
  const sort: DirectorySort = query.sort ?? 'score'
  const { grade, confidence } = query
  const assurance = ASSURANCE_LEVELS.find(({ level }) => String(level) === query.assurance)?.level
  return { orgId, text: text === '' ? undefined : text, grade, confidence, assurance, sort }
}

/** Counts the distinct ids that are not empty (spec: reputation §3). */
export function toCompared(query: Static<typeof CompareQuery>): string[] {
  const given = query.agent_ids.split(',').map((agentId) => agentId.trim())
  const distinct = [...new Set(given.filter((agentId) => agentId !== ''))]
  if (distinct.length < COMPARED_MIN || distinct.length > COMPARED_MAX) {
    throw new Problem(
      'invalid_request',
      `agent_ids: must be ${COMPARED_MIN} to ${COMPARED_MAX} different ids`,
    )
  }
  return distinct
}

type Listed = readonly { agentId: string; entry: Entry | undefined }[]

export function toBatch(listed: Listed): Static<typeof BatchScores> {
  return {
    scores: listed.map(({ agentId, entry }) => ({
      agent_id: agentId,
      score: entry?.score ?? null,
      grade: entry?.grade ?? NOT_RATED.grade,
      tier: entry?.tier ?? NOT_RATED.tier,
      confidence: entry?.confidence ?? 'insufficient',
      trend_30d: entry?.trend30d ?? 0,
      assurance: entry?.assurance ?? null,
      assured_score: entry?.assuredScore ?? null,
    })),
  }
}

export function toComparison(listed: Listed): Static<typeof Comparison> {
  return {
    agents: listed.map(({ agentId, entry }) => ({
      agent_id: agentId,
      score: entry?.score ?? null,
      grade: entry?.grade ?? NOT_RATED.grade,
      assurance: entry?.assurance ?? null,
      assured_score: entry?.assuredScore ?? null,
      components: entry?.components ?? UNRATED,
    })),
  }
}

const UNRATED = Object.fromEntries(COMPONENTS.map(({ key }) => [key, null])) as Record<
  ComponentKey,
  null
>

export function toDirectoryPage(page: Page<IndexedEntry>): Static<typeof DirectoryPage> {
  return {
    agents: page.items.map((entry) => ({
      agent_id: entry.agentId,
      agent_name: entry.name,
      score: entry.score,
      grade: entry.grade,
      tier: entry.tier,
      confidence: entry.confidence,
      checkpoint_count: entry.checkpointCount,
      trend_30d: entry.trend30d,
      assurance: entry.assurance,
      assured_score: entry.assuredScore,
      visibility: entry.visibility === 'public' ? 'public' : 'unlisted',
      claimed: entry.claimed,
      reclassified: toReclassified(entry.reclassified),
    })),
    ...toPageFields(page),
  }
}

export function toBenchmarks(figures: BenchmarkFigures): Static<typeof Benchmarks> {
  return {
    total_scored: figures.totalScored,
    mean_score: figures.meanScore,
    median_score: figures.medianScore,
    distribution: figures.distribution.map(({ grade, count, percentage }) => ({
      grade,
      count,
      percentage,
    })),
    percentiles: figures.percentiles,
    assurance_levels: Object.fromEntries(
      ASSURANCE_LEVELS.map(({ level }) => {
        const own = figures.assuranceLevels.find((tally) => tally.level === level)
        return [level, own?.count ?? 0]
      }),
    ),
  }
}
