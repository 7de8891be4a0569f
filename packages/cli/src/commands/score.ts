import {
  ASSURANCE_LEVELS,
  type AssuranceLevel,
  assuranceName,
  GRADES,
  isAssuranceLevel,
} from '@touchstone/protocol/score'
import { type Answer, ApiError, type GateOptions, reputationGate } from '@touchstone/sdk'
import { usageError } from '../cli-error.ts'
import { command } from '../command.ts'
import type { Io } from '../io.ts'
import { numberFlag } from '../number-flag.ts'
import { connectPublic } from '../service.ts'
import { fields, printable, table } from '../table.ts'

type Reputation = Answer<'GET', '/v1/reputation/{agent_id}'>

export const score = command({
  path: ['score'],
  summary: 'show the reputation of an agent; with a minimum, a gate',
  details:
    'A gate compares the assured score: the lower end of the interval, capped by the assurance level. It exits with 1 if a minimum is not met, or if the agent is unknown or not rated.',
  flags: {
    'min-score': { type: 'string', value: 'N', summary: 'minimum score, 0 to 1000' },
    'min-grade': {
      type: 'string',
      choices: GRADES.map(({ grade }) => grade),
      summary: 'minimum grade',
    },
    'min-assurance': {
      type: 'string',
      choices: ASSURANCE_LEVELS.map(({ level }) => String(level)),
      summary: 'minimum assurance level of a gate (default 1; 0 for any)',
    },
    raw: { type: 'boolean', summary: 'compare the score itself' },
    conservative: {
      type: 'boolean',
      summary: "compare the lower end of the score's interval, without the cap",
    },
  },
  args: { agent: { summary: 'the agent id' } },
  async run({ args, flags, io }) {
    const minScore = numberFlag('min-score', flags['min-score'], { min: 0, max: 1000 })
    const minGrade = GRADES.find(({ grade }) => grade === flags['min-grade'])?.grade
    const minAssurance = levelFlag(flags['min-assurance'])
    const isGate = minScore !== undefined || minGrade !== undefined
    if (!isGate && (minAssurance !== undefined || flags.raw || flags.conservative)) {
      throw usageError('--min-assurance, --raw and --conservative need --min-score or --min-grade')
    }
    if (flags.raw && flags.conservative) {
      throw usageError('--raw and --conservative exclude each other')
    }
    const gateOptions: GateOptions = {
      ...(minScore !== undefined && { minScore }),
      ...(minGrade !== undefined && { minGrade }),
      ...(minAssurance !== undefined && { minAssurance }),
      conservative: flags.conservative ?? false,
      raw: flags.raw ?? false,
    }
    const { client } = await connectPublic(io)
    const gate = isGate ? await reputationGate(client, gateOptions)(args.agent) : undefined
    const reputation = await findReputation(
      client.request('GET', '/v1/reputation/{agent_id}', { params: { agent_id: args.agent } }),
      { isOptional: isGate },
    )
    const verdict = gate && { passed: gate.allowed, reasons: gate.reasons }
    io.result({ agent_id: args.agent, ...reputation, ...(verdict && { gate: verdict }) }, () =>
      [
        ...(reputation === undefined ? [] : [describe(reputation)]),
        ...(verdict === undefined ? [] : [verdictLine(verdict, io)]),
      ].join('\n\n'),
    )
    return gate?.allowed === false ? 1 : 0
  },
})

function levelFlag(value: string | undefined): AssuranceLevel | undefined {
  const level = Number(value)
  return isAssuranceLevel(level) ? level : undefined
}

/** For a gate an unknown agent fails the check; without a gate it is an error. */
async function findReputation(
  answer: Promise<Reputation>,
  { isOptional }: { isOptional: boolean },
): Promise<Reputation | undefined> {
  try {
    return await answer
  } catch (err) {
    if (isOptional && err instanceof ApiError && err.status === 404) return undefined
    throw err
  }
}

function describe(reputation: Reputation): string {
  const {
    agent_id,
    score: value,
    grade,
    tier,
    confidence,
    checkpoint_count,
    trend_30d,
    reclassified,
  } = reputation
  const trend = trend_30d > 0 ? `+${trend_30d}` : String(trend_30d)
  const head = fields([
    ['agent', agent_id],
    [
      'score',
      value === null ? 'not rated' : `${value}, ${reputation.conservative_score} at the lower end`,
    ],
    ['assured', describeAssurance(reputation)],
    ['grade', `${grade}, ${tier}`],
    ['confidence', `${confidence}, ${checkpoint_count} checkpoints`],
    ['trend', `${trend} in 30 days`],
    ['card gaps', `${reclassified.card_gap} of ${reclassified.of} violations in 90 days`],
    ['computed', reputation.computed_at],
  ])
  const rows = reputation.components.map(({ label, score: part, weight, factors }) => [
    label,
    part === null ? '-' : String(part),
    `${Math.round(weight * 100)} %`,
    printable(factors.join('; ')),
  ])
  return `${head}\n\n${table(['COMPONENT', 'SCORE', 'WEIGHT', 'FACTORS'], rows)}`
}

function describeAssurance({ assured_score: score, assurance }: Reputation): string {
  if (assurance === null || score === null) return 'not yet'
  const { level, limits } = assurance
  const name = isAssuranceLevel(level) ? ` ${assuranceName(level)}` : ''
  const because = limits.length === 0 ? '' : ` (${limits.join(', ')})`
  return `${score}, assurance ${level}${name}${because}`
}

function verdictLine(
  { passed, reasons }: { passed: boolean; reasons: readonly string[] },
  { paint }: Io,
): string {
  if (passed) return `${paint.good('passed')}  the minimum is met`
  return `${paint.bad('FAILED')}  ${reasons.join(' ')}`
}
