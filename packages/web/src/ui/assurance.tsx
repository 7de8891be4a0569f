import {
  ASSURANCE_CONDITIONS,
  ASSURANCE_LEVELS,
  type Assurance,
  type AssuranceGap,
  type AssuranceLevel,
  assuranceGaps,
  assuranceName,
  isAssuranceLevel,
} from '@touchstone/protocol/score'
import type { Answer } from '@touchstone/sdk'
import { Facts } from './facts.tsx'
import { Pill } from './pill.tsx'

type Wire = NonNullable<Answer<'GET', '/v1/reputation/{agent_id}'>['assurance']>

/** From this level on, somebody other than the agent saw the evidence. */
const SEEN_LEVEL_MIN = 2

/**
 * The level beside a score, with the conditions of the next one as its title; nothing for a score
 * without one.
 */
export function AssuranceMark({ level }: { level: number | null | undefined }) {
  if (!isAssuranceLevel(level)) return null
  const next = ASSURANCE_LEVELS.find((one) => one.level === level + 1)
  return (
    <Pill
      tone={level >= SEEN_LEVEL_MIN ? 'good' : 'neutral'}
      {...(next && { title: `Needed for ${next.name}: ${ASSURANCE_CONDITIONS[next.name]}` })}
    >
      <span className="sr-only">Assurance </span>
      {assuranceName(level)}
    </Pill>
  )
}

/** The assured score, who saw the evidence, and what keeps the next level away. */
export function AssuranceFacts({
  assurance: wire,
  assuredScore,
}: {
  assurance: Wire | null
  assuredScore: number | null
}) {
  const assurance = wire === null ? undefined : toAssurance(wire)
  if (assurance === undefined) {
    return <p className="text-sm text-ink-soft">Computed with the next hourly score.</p>
  }
  const { level, observedShare, relayedShare, days, effectiveCheckpoints } = assurance
  const next = ASSURANCE_LEVELS.find((one) => one.level === level + 1)
  return (
    <div className="grid gap-3">
      <Facts
        valuesAtEnd
        facts={[
          { label: 'Assurance', value: <AssuranceMark level={level} /> },
          { label: 'Assured score', value: <b>{assuredScore ?? 'None'}</b> },
          {
            label: 'Observed, relayed',
            value: `${percent(observedShare)}, ${percent(relayedShare)}`,
          },
          {
            label: 'Evidence in 90 days',
            value: `${count(effectiveCheckpoints, 'checkpoint')} on ${count(days, 'day')}`,
          },
        ]}
      />
      {next === undefined ? null : (
        <div className="text-sm">
          <p className="text-ink-soft">
            Needed for <b>{next.name}</b>, which allows an assured score up to {next.scoreMax}:
          </p>
          <ul className="mt-1 list-disc pl-5 text-ink-soft">
            {assuranceGaps(assurance).map((gap) => (
              <li key={gap.requirement}>{describeGap(gap)}</li>
            ))}
          </ul>
        </div>
      )}
    </div>
  )
}

function describeGap(gap: AssuranceGap): string {
  switch (gap.requirement) {
    case 'days':
      return `Evidence on ${gap.needed} days (${gap.present} now)`
    case 'effective_checkpoints':
      return `${gap.needed} checkpoints that say something new (${gap.present} now)`
    case 'seen_share':
      return `${percent(gap.needed)} of the checkpoints observed, or relayed by a guard (${percent(gap.present)} now)`
    case 'observed_share':
      return `${percent(gap.needed)} of the checkpoints observed in model traffic (${percent(gap.present)} now)`
    case 'claimed':
      return 'A person claims the agent'
    case 'outcomes':
      return 'Known outcomes for 80% of the allowed tool calls'
    case 'witnessed':
      return 'Every checkpoint of the last 30 days in the log, and a witness that has confirmed it'
  }
}

/** Undefined for a level that this version of the page does not know. */
function toAssurance(wire: Wire): Assurance | undefined {
  const level: AssuranceLevel | undefined = isAssuranceLevel(wire.level) ? wire.level : undefined
  if (level === undefined) return undefined
  return {
    level,
    observedShare: wire.observed_share,
    relayedShare: wire.relayed_share,
    days: wire.days,
    spanDays: wire.span_days,
    effectiveCheckpoints: wire.effective_checkpoints,
    limits: wire.limits,
  }
}

function percent(share: number): string {
  return `${Math.round(100 * share)}%`
}

function count(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`
}
