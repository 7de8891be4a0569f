import { assuranceName, isAssuranceLevel } from '@touchstone/protocol/score'
import type { Answer } from '@touchstone/sdk'

/** Describes responses of the service in a few lines for a model. All numbers are the service's. */

type Reputation = Answer<'GET', '/v1/reputation/{agent_id}'>

export function describeReputation(one: Reputation): string {
  if (one.score === null) {
    return `${one.agent_id} is not rated: ${one.checkpoint_count} of 50 analysed checkpoints.`
  }
  return `${one.agent_id} has ${one.score} of 1000, grade ${one.grade} (${one.tier}), confidence ${one.confidence}, ${signed(one.trend_30d)} in 30 days, from ${one.checkpoint_count} checkpoints. ${describeAssurance(one)}`
}

/** States who observed the evidence, so that a self-reported score is not mistaken for an observed one. */
function describeAssurance({ assurance, assured_score: assured }: Reputation): string {
  if (assurance === null || assured === null) return 'Its assurance is not computed yet.'
  const because = assurance.limits.length === 0 ? '' : ` (${assurance.limits.join(', ')})`
  return `Its assurance is ${levelOf(assurance.level)}${because}: rely on ${assured} at most.`
}

function levelOf(level: number | null): string {
  if (level === null) return 'not computed yet'
  return isAssuranceLevel(level) ? `level ${level}, ${assuranceName(level)}` : `level ${level}`
}

export function explainScore(one: Reputation): string {
  const parts = one.components.map(
    ({ label, score, weight, factors }) =>
      `- ${label}, ${Math.round(weight * 100)} %: ${score ?? 'not measured'}. ${factors.join('; ')}.`,
  )
  const losses = (one.reason_codes ?? []).map(
    ({ code, points_lost }) => `- ${code}: ${points_lost} points`,
  )
  return [
    describeReputation(one),
    ...(one.score_interval === null
      ? []
      : [`The score's interval is ${one.score_interval.low} to ${one.score_interval.high}.`]),
    'Components:',
    ...parts,
    ...(losses.length === 0 ? [] : ['Points lost:', ...losses]),
  ].join('\n')
}

export function describeSearch({ agents, total }: Answer<'GET', '/v1/reputation/search'>): string {
  const lines = agents.map(
    ({ agent_id, agent_name, score, grade, assurance }) =>
      `- ${agent_id} (${agent_name}): ${score}, ${grade}; assurance ${levelOf(assurance)}`,
  )
  return [`${total} found.`, ...lines].join('\n')
}

export function describeComparison({ agents }: Answer<'GET', '/v1/reputation/compare'>): string {
  const lines = agents.map(({ agent_id, score, grade, assurance, components }) => {
    const parts = Object.entries(components).map(([name, value]) => `${name} ${value ?? 'none'}`)
    return `- ${agent_id}: ${score ?? 'not rated'}, ${grade}; assurance ${levelOf(assurance)}; ${parts.join(', ')}`
  })
  return lines.join('\n')
}

export function describeVerification(
  one: Answer<'GET', '/v1/reputation/{agent_id}/verify'>,
): string {
  const { verification: proof } = one
  const verdict = one.verified ? 'is valid' : 'is NOT valid'
  return `The evidence behind ${one.agent_id}'s ${one.score} (${one.grade}) ${verdict}: ${proof.checkpoint_count} checkpoints, hash chain ${proof.hash_chain_valid ? 'valid' : 'NOT valid'}, root ${proof.merkle_root}. This is the result of the service itself; "touchstone verify bundle" verifies it independently.`
}

export function describeEvaluation(one: Answer<'POST', '/v1/policies/evaluate'>): string {
  const findings = one.violations.map(
    ({ tool, reason, severity, blocking }) =>
      `- ${tool}: ${reason} (${severity}${blocking ? ', would be blocked' : ''})`,
  )
  return [
    `Verdict: ${one.verdict}, ${one.violations.length} violations, ${one.warnings.length} warnings.`,
    ...findings,
  ].join('\n')
}

export function describeRisk(one: Answer<'POST', '/v1/risk/assess'>): string {
  return `Risk of ${one.agent_id}: ${one.risk_score} (${one.risk_level}); recommendation: ${one.recommendation}. ${one.explanation}`
}

export function describeTeamRisk(one: Answer<'POST', '/v1/risk/assess/team'>): string {
  return `Risk of the team: ${one.team_risk_score} (${one.team_risk_level}), coherence ${one.team_coherence_score}; recommendation: ${one.team_recommendation}. ${one.explanation}`
}

function signed(value: number): string {
  return value > 0 ? `+${value}` : String(value)
}
