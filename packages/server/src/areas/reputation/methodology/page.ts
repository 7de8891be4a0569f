import { STREAK_MIN } from '@touchstone/protocol/bundle'
import {
  GAP_SPREAD_MS_MAX,
  TWIN_AGE_MS_MAX,
  TWINS_MIN,
  UNIFORM_GAPS,
} from '@touchstone/protocol/evidence'
import {
  CHECKPOINTS_MIN,
  COHERENCE_DEFAULT,
  COMPONENTS,
  CONFIDENCE_LEVELS,
  type ComponentKey,
  type Confidence,
  FORECAST_DAYS,
  GRADES,
  INTERVAL_LEVEL,
  METHODOLOGY_VERSION,
  NOT_RATED,
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

/** How this service is set up, as far as it shows in scores. */
export type Settings = {
  providerId: string
  antiGaming: 'exclude' | 'record'
  analyzer: 'rules' | 'llm'
}

/** How a score is made, as one page of HTML. Its numbers are those that the score is made with. */
export function methodologyPage(settings: Settings): string {
  const example = workedExample()
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<title>How a score is made</title>',
    `<style>${STYLE}</style>`,
    '</head>',
    '<body>',
    '<main>',
    '<h1>How a score is made</h1>',
    paragraph(
      `The scores of ${settings.providerId}, methodology ${METHODOLOGY_VERSION}. The numbers on this page come from the program that computes the scores.`,
    ),
    whatIsRated(settings),
    components(),
    compliance(),
    workedOut(example),
    grades(),
    time(),
    hidden(example),
    check(),
    teams(),
    limits(settings),
    '</main>',
    '<footer><p><a href="../docs">API reference</a></p></footer>',
    '</body>',
    '</html>',
    '',
  ].join('\n')
}

function whatIsRated({ antiGaming }: Settings): string {
  const pace = `${UNIFORM_GAPS + 1} in a row at the same pace, to within ${GAP_SPREAD_MS_MAX} ms`
  const twins = `texts that came at least ${TWINS_MIN} times before within ${TWIN_AGE_MS_MAX / HOUR_MS} hours`
  const effect =
    antiGaming === 'exclude'
      ? 'A flagged clear checkpoint does not count; a flagged bad one does.'
      : 'This service only records the flags; flagged checkpoints count like others.'
  return section('rated', 'What is rated', [
    paragraph(
      'An agent sends its decisions. Each becomes a checkpoint: `clear`, `review_needed` or `boundary_violation`, judged against the card on which the agent states what it may do. The score is computed from checkpoints that were analysed. Those with too little text, or whose analysis failed, do not count.',
    ),
    paragraph(`Cheap good evidence is flagged: ${pace}, or ${twins}. ${effect}`),
  ])
}

const RULES: Record<ComponentKey, string> = {
  integrity_ratio: 'The share of clear checkpoints.',
  compliance: `What boundary violations of the last ${VIOLATION_DAYS} days have left; see below.`,
  drift_stability: `The share of stable sessions among those with at least ${STREAK_MIN} checkpoints. Unstable: ${STREAK_MIN} in a row that are not clear, or traces that left their usual pattern. 1000 without such sessions.`,
  trace_completeness: 'Stored traces for each checkpoint, at most one.',
  coherence_compatibility: `How well its values fit those of the agents it was compared with in the last 90 days, whoever compared them. ${COHERENCE_DEFAULT} while there are none.`,
}

function components(): string {
  return section('components', 'Five components', [
    paragraph(
      'Each is a whole number from 0 to 1000. The score is their weighted sum, halves rounded up.',
    ),
    table({
      caption: 'Components and weights',
      columns: ['Component', { figures: 'Weight' }, 'What it is'],
      rows: COMPONENTS.map(({ key, label, tenths }) => [label, percent(tenths / 10), RULES[key]]),
    }),
  ])
}

function compliance(): string {
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
  return section('compliance', 'How violations weigh', [
    paragraph(
      `A boundary violation weighs 1 when it happens and half as much after every ${VIOLATION_HALF_LIFE_HOURS} hours. A session counts once, by its newest one. With X as the sum over sessions, compliance is \`1000 / (1 + X)^1.5\`. A violation that showed a gap in the card, not in the agent, weighs nothing.`,
    ),
    table({
      caption: 'Compliance after violations',
      columns: ['Violations in', { figures: 'Compliance' }],
      rows: cases.map(([when, sessions, age]) => [when, `${complianceOf(sessions, age)}`]),
    }),
  ])
}

function workedOut(example: WorkedExample): string {
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
      `So ${example.score}: ${example.grade}, ${example.tier}, with ${example.confidence} confidence.`,
    ),
  ])
}

const CONFIDENCE_MEANS: Record<Confidence, string> = {
  high: 'high',
  medium: 'medium',
  low: 'low',
  insufficient: 'insufficient: not rated',
}

function grades(): string {
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
        return [CONFIDENCE_MEANS[confidence], span ?? range(checkpointsMin, (above ?? 0) - 1)]
      }),
    }),
  ])
}

function time(): string {
  return section('time', 'When it changes', [
    list([
      `Scores are computed every hour, at once with the ${CHECKPOINTS_MIN}th checkpoint that counts, and when its organisation asks. New evidence alone does not change a published score.`,
      `Violations fade by themselves and are gone after ${VIOLATION_DAYS} days. Clear shares, sessions and traces are counted over all history.`,
      `\`trend_30d\` is the score minus the one that stood ${TREND_WINDOW_MS / DAY_MS} days ago, 0 when there was none.`,
      'Who the agent belongs to, its plan, its name and its visibility change nothing.',
    ]),
  ])
}

const REASONS: Record<ReasonCode['code'], string> = {
  LOW_INTEGRITY: 'checkpoints that are not clear',
  RECENT_VIOLATIONS: `boundary violations of the last ${VIOLATION_DAYS} days`,
  UNSTABLE_SESSIONS: 'sessions that went wrong for a while',
  MISSING_TRACES: 'fewer traces than checkpoints',
  LOW_COHERENCE: 'values that do not fit those of its peers',
  UNMEASURED_COHERENCE: `no peers, so ${COHERENCE_DEFAULT} was assumed`,
}

function hidden({ uncertainty }: WorkedExample): string {
  const { scoreInterval, gradeProbability, recoveryForecast } = uncertainty
  const likely = Object.entries(gradeProbability)
    .filter(([, share]) => share > 0)
    .map(([grade, share]) => `${grade} ${(100 * share).toFixed(2)}%`)
  const forecast = recoveryForecast.map(({ days, score }) => `${score} in ${days} days`)
  return section('hidden', 'What the number hides', [
    list([
      `\`score_interval\` says how far few observations could mislead, at a level of ${percent(INTERVAL_LEVEL)}: here ${scoreInterval.low} to ${scoreInterval.high}. It covers the shares of clear checkpoints and of stable sessions; the rest counts as certain. \`conservative_score\` is its lower end.`,
      `\`grade_probability\` spreads that over the grades: here ${likely.join(', ')}.`,
      '`basis` and `n` tell for each component whether it was measured or assumed, and from how much.',
      `\`recovery_forecast\` is the score in ${FORECAST_DAYS.join(', ')} days, if violations only fade and nothing else happens: here ${forecast.join(', ')}.`,
      '`reason_codes` name where the points went, the greatest loss first, with ids of the evidence.',
    ]),
    table({
      caption: 'Reason codes',
      columns: ['Code', 'Points lost by'],
      rows: Object.entries(REASONS).map(([code, meaning]) => [`\`${code}\``, meaning]),
    }),
  ])
}

function check(): string {
  return section('check', 'Check it yourself', [
    list([
      '`GET /v1/reputation/{agent_id}/bundle` gives the evidence that a published score was computed from, line by line and signed. `verifyBundle` of the package `@touchstone/protocol` checks it with the keys at `/v1/keys` and computes the score again.',
      'A bundle proves what was recorded and that the score follows. It takes the verdicts, the number of traces, drift of traces, card gaps and peers as the service states them.',
      '`POST /v1/reputation/{agent_id}/simulate` tells an organisation what would become of the score of its agent.',
    ]),
  ])
}

const TEAM_RULES: Record<TeamComponentKey, string> = {
  coherence_history: 'How well the members went together in the assessments.',
  member_quality: "The members' own scores, leaning to the lowest; 500 for one not rated.",
  operational_record:
    'The share of assessments of low or medium risk. Where these levels begin depends on the `risk_tolerance` that the asker chose: the same team looks better when it is always asked about as `aggressive`.',
  structural_stability: `How little the failure of one would hurt the others, less up to 50 for each change of the roster in the last ${ROSTER_CHANGE_DAYS_END} days.`,
  assessment_density: 'How many assessments there are, and how fresh the latest is.',
}

function teams(): string {
  return section('teams', 'The score of a team', [
    paragraph(
      `A team has a score of its own, with the same grades, made of those assessments of risk that name the team or have exactly its members. Below ${TEAM_ASSESSMENTS_MIN} it is not rated. In coherence, stability and density an assessment weighs half after 30 days.`,
    ),
    table({
      caption: 'Components and weights of a team',
      columns: ['Component', { figures: 'Weight' }, 'What it is'],
      rows: TEAM_COMPONENTS.map(({ key, label, percent: weight }) => [
        label,
        `${weight}%`,
        TEAM_RULES[key],
      ]),
    }),
    paragraph(
      '`GET /v1/teams/{team_id}/reputation/verify` recomputes it and gives the hashes it rests on.',
    ),
  ])
}

function limits({ analyzer }: Settings): string {
  const judge =
    analyzer === 'rules'
      ? 'Fixed rules judge here. They read words, not meaning: a paraphrase can pass, and an innocent phrase can be caught.'
      : 'A language model judges here. It may err, and may judge the same text differently another time.'
  return section('limits', 'What it cannot tell', [
    list([
      judge,
      'An agent that keeps its bad decisions to itself leaves no gap, and has a better score than it deserves.',
      'Flags catch plain repetition. Texts that vary a little, at varying times, pass.',
      'A score speaks of decisions that were sent. It is no promise about the next one.',
    ]),
  ])
}

function percent(share: number): string {
  return `${Math.round(100 * share)}%`
}

function range(low: number, high: number): string {
  return `${low}–${high}`
}
