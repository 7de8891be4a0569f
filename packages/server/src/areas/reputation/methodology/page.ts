import { STREAK_MIN } from '@touchstone/protocol/bundle'
import {
  GAP_SPREAD_MS_MAX,
  TWIN_AGE_MS_MAX,
  TWINS_MIN,
  UNIFORM_GAPS,
} from '@touchstone/protocol/evidence'
import {
  ASSURANCE_CONDITIONS,
  ASSURANCE_LEVELS,
  ASSURANCE_LIMIT_CONDITIONS,
  ASSURANCE_WINDOW_DAYS,
  CHECKPOINTS_MIN,
  COHERENCE_DEFAULT,
  COMPONENTS,
  CONFIDENCE_LEVELS,
  type ComponentKey,
  type Confidence,
  FORECAST_DAYS,
  GRADES,
  INTERVAL_LEVEL,
  METHODOLOGY,
  NOT_RATED,
  PAIR_WEIGHTS,
  type ReasonCode,
  TREND_WINDOW_MS,
  VIOLATION_HALF_LIFE_HOURS,
  VIOLATION_WINDOW_MS,
} from '@touchstone/protocol/score'
import {
  ROSTER_CHANGE_DAYS_END,
  TEAM_ASSESSMENTS_MIN,
  TEAM_COMPONENTS,
  type TeamComponentKey,
} from '@touchstone/protocol/teams'
import { complianceOf, type WorkedExample, workedExample } from './example.ts'
import { list, paragraph, section, table } from './html.ts'
import { STYLE } from './style.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const VIOLATION_DAYS = VIOLATION_WINDOW_MS / DAY_MS

/** The settings of this service that affect scores. */
export type Settings = {
  providerId: string
  antiGaming: 'exclude' | 'record'
  analyzer: 'rules' | 'llm'
}

/** The public methodology page. Its numbers are the constants that scores are computed with. */
export function methodologyPage(settings: Settings): string {
  const example = workedExample()
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<title>How scores are computed</title>',
    `<style>${STYLE}</style>`,
    '</head>',
    '<body>',
    '<main>',
    '<h1>How scores are computed</h1>',
    paragraph(
      `Scores by ${settings.providerId}, methodology ${METHODOLOGY}. The numbers on this page come from the code that computes the scores.`,
    ),
    evidenceSection(settings),
    componentsSection(),
    complianceSection(),
    exampleSection(example),
    gradesSection(),
    updatesSection(),
    uncertaintySection(example),
    assuranceSection(),
    verificationSection(),
    teamsSection(),
    limitsSection(settings),
    '</main>',
    '<footer><p><a href="../docs">API reference</a></p></footer>',
    '</body>',
    '</html>',
    '',
  ].join('\n')
}

function evidenceSection({ antiGaming }: Settings): string {
  const pace = `${UNIFORM_GAPS + 1} checkpoints in a row at the same pace, to within ${GAP_SPREAD_MS_MAX} ms`
  const twins = `a text that was already sent at least ${TWINS_MIN} times within ${TWIN_AGE_MS_MAX / HOUR_MS} hours`
  const effect =
    antiGaming === 'exclude'
      ? 'A flagged clear checkpoint does not count; any other flagged checkpoint does.'
      : 'This service only records the flags; flagged checkpoints count like any other.'
  return section('rated', 'What is rated', [
    paragraph(
      'An agent sends the reasoning behind its decisions. Each submission becomes a checkpoint with a verdict, `clear`, `review_needed` or `boundary_violation`, judged against the card that states what the agent is allowed to do. The score is computed from analysed checkpoints. Checkpoints with too little text, and those whose analysis failed, do not count.',
    ),
    paragraph(`Evidence that is cheap to produce is flagged: ${pace}, or ${twins}. ${effect}`),
  ])
}

const RULES: Record<ComponentKey, string> = {
  integrity_ratio: 'The share of clear checkpoints.',
  compliance: `Falls from 1000 with each boundary violation in the last ${VIOLATION_DAYS} days; see below.`,
  drift_stability: `The share of stable sessions among those with at least ${STREAK_MIN} checkpoints. A session is unstable after ${STREAK_MIN} checkpoints in a row that are not clear, or when its traces drifted from their usual pattern. 1000 if there are no such sessions.`,
  trace_completeness:
    'Verified traces per checkpoint, capped at one. A trace is verified if it contradicts nothing in the card.',
  coherence_compatibility: `How well the agent's values match those of the agents that its own organisation compared it with in the last 90 days: the mean of these comparisons, with weight ${PAIR_WEIGHTS.withinOrg} for agents of the same organisation and ${PAIR_WEIGHTS.acrossOrgs} for others. ${COHERENCE_DEFAULT} if there were no comparisons.`,
}

function componentsSection(): string {
  return section('components', 'Five components', [
    paragraph(
      'Each component is a whole number from 0 to 1000. The score is their weighted sum, rounded half up.',
    ),
    table({
      caption: 'Components and weights',
      columns: ['Component', { figures: 'Weight' }, 'Definition'],
      rows: COMPONENTS.map(({ key, label, weightTenths }) => [
        label,
        percent(weightTenths / 10),
        RULES[key],
      ]),
    }),
  ])
}

function complianceSection(): string {
  const week = VIOLATION_HALF_LIFE_HOURS / 24
  const cases: [string, number, number][] = [
    ['1 session, now', 1, 0],
    ['2 sessions, now', 2, 0],
    ['3 sessions, now', 3, 0],
    [`1 session, ${week} days ago`, 1, week],
    [`1 session, ${2 * week} days ago`, 1, 2 * week],
    [`1 session, ${4 * week} days ago`, 1, 4 * week],
    [`1 session, ${VIOLATION_DAYS} days ago`, 1, VIOLATION_DAYS],
  ]
  return section('compliance', 'How violations count', [
    paragraph(
      `A boundary violation has weight 1 when it happens; the weight halves every ${VIOLATION_HALF_LIFE_HOURS} hours. Each session counts once, with its newest violation. With X as the sum of the weights, compliance is \`1000 / (1 + X)^1.5\`. A violation reclassified as a gap in the card has no weight.`,
    ),
    table({
      caption: 'Compliance after violations',
      columns: ['Violations in', { figures: 'Compliance' }],
      rows: cases.map(([when, sessions, age]) => [when, `${complianceOf(sessions, age)}`]),
    }),
  ])
}

function exampleSection(example: WorkedExample): string {
  return section('example', 'An example', [
    table({
      caption: 'Each component times its weight',
      columns: ['Component', { figures: 'Score' }, { figures: 'Weight' }, { figures: 'Points' }],
      rows: [
        ...example.components.map((one) => [
          { text: one.label, note: one.factors.join('. ') },
          `${one.score}`,
          percent(one.weight),
          one.weightedScore.toFixed(1),
        ]),
        ['Score', '', '', `${example.score}`],
      ],
    }),
    paragraph(
      `The result is ${example.score}: ${example.grade}, ${example.tier}, with ${example.confidence} confidence.`,
    ),
  ])
}

const CONFIDENCE_LABELS: Record<Confidence, string> = {
  high: 'high',
  medium: 'medium',
  low: 'low',
  insufficient: 'insufficient: not rated',
}

function gradesSection(): string {
  return section('grades', 'Grades and confidence', [
    table({
      caption: 'Grades',
      columns: ['Grade', { figures: 'Score' }, 'Tier'],
      rows: [
        ...GRADES.map(({ grade, tier, scoreMin }, at) => {
          const above = GRADES[at - 1]?.scoreMin
          return [grade, range(scoreMin, above === undefined ? 1000 : above - 1), tier]
        }),
        [NOT_RATED.grade, 'none', `${NOT_RATED.tier}, below ${CHECKPOINTS_MIN} checkpoints`],
      ],
    }),
    table({
      caption: 'Confidence, by the number of checkpoints that count',
      columns: ['Confidence', { figures: 'Checkpoints' }],
      rows: CONFIDENCE_LEVELS.map(({ confidence, checkpointsMin }, at) => {
        const above = CONFIDENCE_LEVELS[at - 1]?.checkpointsMin
        const span = above === undefined ? `${checkpointsMin} or more` : undefined
        return [CONFIDENCE_LABELS[confidence], span ?? range(checkpointsMin, (above ?? 0) - 1)]
      }),
    }),
  ])
}

function updatesSection(): string {
  return section('time', 'When a score changes', [
    list([
      `Scores are recomputed every hour, immediately after the ${CHECKPOINTS_MIN}th checkpoint that counts, and when the organisation of the agent requests it. Between computations, new evidence does not change a published score.`,
      `Violations lose weight over time and stop counting after ${VIOLATION_DAYS} days. The share of clear checkpoints, sessions and verified traces are counted over the whole history.`,
      `\`trend_30d\` is the score minus the score of ${TREND_WINDOW_MS / DAY_MS} days ago, or 0 if there was none.`,
      'The owner of the agent, its plan, its name and its visibility have no effect.',
    ]),
  ])
}

const REASONS: Record<ReasonCode['code'], string> = {
  LOW_INTEGRITY: 'checkpoints that are not clear',
  RECENT_VIOLATIONS: `boundary violations in the last ${VIOLATION_DAYS} days`,
  UNSTABLE_SESSIONS: 'unstable sessions',
  MISSING_TRACES: 'fewer verified traces than checkpoints',
  LOW_COHERENCE: 'values that do not match those of its peers',
  UNMEASURED_COHERENCE: `no comparison with peers, so ${COHERENCE_DEFAULT} is assumed`,
  LOW_NOVELTY: 'more than a tenth of the clear checkpoints say nothing new; costs no points',
}

function uncertaintySection({ uncertainty }: WorkedExample): string {
  const { scoreInterval, gradeProbability, recoveryForecast } = uncertainty
  const likely = Object.entries(gradeProbability)
    .filter(([, share]) => share > 0)
    .map(([grade, share]) => `${grade} ${(100 * share).toFixed(2)}%`)
  const forecast = recoveryForecast.map(({ days, score }) => `${score} in ${days} days`)
  return section('hidden', 'How certain the score is', [
    list([
      `\`score_interval\` is the ${percent(INTERVAL_LEVEL)} interval of the score given the number of observations: in the example ${scoreInterval.low} to ${scoreInterval.high}. It covers the shares of clear checkpoints and of stable sessions; the other components are treated as certain. \`conservative_score\` is its lower end.`,
      `\`grade_probability\` is the probability of each grade: in the example ${likely.join(', ')}.`,
      '`basis` and `n` state for each component whether it was measured or assumed, and from how many observations.',
      `\`recovery_forecast\` is the score in ${FORECAST_DAYS.join(', ')} days if violations lose weight and nothing else happens: in the example ${forecast.join(', ')}.`,
      '`reason_codes` name the causes of lost points, the greatest loss first, with ids of the evidence.',
    ]),
    table({
      caption: 'Reason codes',
      columns: ['Code', 'Cause of lost points'],
      rows: Object.entries(REASONS).map(([code, meaning]) => [`\`${code}\``, meaning]),
    }),
  ])
}

function assuranceSection(): string {
  return section('assurance', 'How far the score can be relied on', [
    paragraph(
      `A score can be computed from an agent's own claims alone. Its \`assurance\` says who saw the evidence of the last ${ASSURANCE_WINDOW_DAYS} days, over how long, and how much of it says something. \`assured_score\` is \`conservative_score\`, at most the cap of the level: the number to rely on when something is at stake. The score, its grade and its confidence do not depend on it. Each level includes the conditions of the levels below it.`,
    ),
    table({
      caption: 'Assurance levels',
      columns: ['Level', 'Conditions', { figures: 'Highest assured score' }],
      rows: ASSURANCE_LEVELS.map(({ level, name, scoreMax }) => [
        `${level} ${name}`,
        ASSURANCE_CONDITIONS[name],
        `${scoreMax}`,
      ]),
    }),
    paragraph(
      'A checkpoint is observed if this service read the texts in the traffic of the model provider, and relayed if a guard sent it and it names the decisions that the gateway made about its tool calls. Days are UTC days on which this service received evidence, whatever the evidence says about its time. A clear checkpoint that repeats earlier ones, is word salad, or is one of a burst counts towards the score but is not effective: it counts towards neither days nor shares.',
    ),
    table({
      caption: 'Limits',
      columns: ['Limit', 'Applies if'],
      rows: Object.entries(ASSURANCE_LIMIT_CONDITIONS).map(([code, meaning]) => [
        `\`${code}\``,
        meaning,
      ]),
    }),
  ])
}

function verificationSection(): string {
  return section('check', 'Check it yourself', [
    list([
      '`GET /v1/reputation/{agent_id}/bundle` returns the evidence that a published score was computed from, line by line and signed. `verifyBundle` in the package `@touchstone/protocol` verifies it with the keys at `/v1/keys` and recomputes the score and its assurance. A bundle of methodology 1 is recomputed by its rules: all stored traces counted, and there was no assurance.',
      'A bundle proves what was recorded and that the score follows from it. The verdicts, the number of traces, trace drift, card gaps, peer comparisons, whether the agent is claimed, and the known outcomes are taken as the service states them.',
      '`POST /v1/reputation/{agent_id}/simulate` shows an organisation how its own agent’s score would change.',
    ]),
  ])
}

const TEAM_RULES: Record<TeamComponentKey, string> = {
  coherence_history: 'How coherent the members were in the risk assessments.',
  member_quality:
    "The members' own scores, weighted towards the lowest; 500 for an unrated member.",
  operational_record:
    'The share of assessments with low or medium risk. The thresholds of these levels depend on the `risk_tolerance` of the request: the same team looks better if it is always assessed with `aggressive`.',
  structural_stability: `How little the failure of one member would affect the others, minus up to 50 for each roster change in the last ${ROSTER_CHANGE_DAYS_END} days.`,
  assessment_density: 'The number of assessments and the age of the latest.',
}

function teamsSection(): string {
  return section('teams', 'Team scores', [
    paragraph(
      `A team has its own score, with the same grades. It is computed from the risk assessments that name the team or cover exactly its members. Below ${TEAM_ASSESSMENTS_MIN} assessments the team is not rated. In coherence, stability and density the weight of an assessment halves every 30 days.`,
    ),
    table({
      caption: 'Components and weights of a team',
      columns: ['Component', { figures: 'Weight' }, 'Definition'],
      rows: TEAM_COMPONENTS.map(({ key, label, percent: weight }) => [
        label,
        `${weight}%`,
        TEAM_RULES[key],
      ]),
    }),
    paragraph(
      '`GET /v1/teams/{team_id}/reputation/verify` recomputes the score and returns the hashes of its evidence.',
    ),
  ])
}

function limitsSection({ analyzer }: Settings): string {
  const judge =
    analyzer === 'rules'
      ? 'This service analyses decisions with fixed rules. They match words, not meaning: a paraphrase can pass, and an innocent phrase can be flagged.'
      : 'This service analyses decisions with a language model. It can be wrong, and can judge the same text differently another time.'
  return section('limits', 'Limitations', [
    list([
      judge,
      'An agent that does not submit its bad decisions leaves no visible gap and gets a better score than it deserves.',
      'Flags catch plain repetition. Texts that are varied enough, sent at varying intervals, are not flagged.',
      'An assurance level below 2 means that the agent’s own side reported most of the evidence.',
      'A score describes the decisions that were submitted. It does not guarantee the next one.',
    ]),
  ])
}

function percent(share: number): string {
  return `${Math.round(100 * share)}%`
}

function range(low: number, high: number): string {
  return `${low}–${high}`
}
