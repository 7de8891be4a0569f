import { round, roundTo } from '../base/rounding.ts'
import type { ViolationImpact } from './compliance.ts'
import { adjustmentPoints, type ComponentKey, type ComponentScores } from './component-scores.ts'
import { type ScoreInput, weighPeers } from './score-input.ts'

/** Explains each component in the published wording, which others may compare. */
export function factorsOf(
  input: ScoreInput,
  { scores, weighed }: { scores: ComponentScores; weighed: ViolationImpact },
): Record<ComponentKey, readonly string[]> {
  return {
    integrity_ratio: integrityFactors(input, scores),
    compliance: complianceFactors(weighed),
    drift_stability: driftFactors(input),
    trace_completeness: traceFactors(input, scores),
    coherence_compatibility: coherenceFactors(input),
  }
}

function integrityFactors(
  { checkpoints }: ScoreInput,
  { integrity_ratio }: ComponentScores,
): string[] {
  const { scored, excluded } = checkpoints
  // The component is the same ratio in thousandths, so it is also the percentage to one decimal.
  const clear = `${(integrity_ratio / 10).toFixed(1)}% clear verdicts`
  return [
    `${clear} over ${scored} analysed checkpoints`,
    ...(excluded > 0 ? [`${excluded} checkpoints excluded by anti-gaming checks`] : []),
  ]
}

function complianceFactors(weighed: ViolationImpact): string[] {
  const { violations, sessions, cardGaps, impact } = weighed
  const decayed = roundTo(impact, 2).toFixed(2)
  return [
    violations === 0
      ? 'No boundary violations in the last 90 days'
      : `${violations} boundary violations in ${sessions} sessions, decayed impact ${decayed}`,
    ...(cardGaps > 0 ? [`${cardGaps} violations excluded as card gaps`] : []),
  ]
}

function driftFactors({ sessions: { total, unstable } }: ScoreInput): string[] {
  return [
    total === 0
      ? 'No session long enough for drift analysis'
      : `${unstable} unstable of ${total} sessions`,
  ]
}

function traceFactors(
  { checkpoints: { scored }, tracesVerified }: ScoreInput,
  { integrity_ratio }: ComponentScores,
): string[] {
  if (scored === 0) return ['No decisions expected yet']
  const percent = round(Math.min(100, (100 * tracesVerified) / scored))
  const unproven = integrity_ratio === 1000 && tracesVerified === 0
  return [
    `${percent}% of expected decisions traced (${tracesVerified}/${scored})`,
    ...(unproven ? ['Warning: full integrity without any traced decision'] : []),
  ]
}

function coherenceFactors({ peers, adjustmentE4 }: ScoreInput): string[] {
  const points = adjustmentPoints(adjustmentE4)
  return [
    peers.count === 0
      ? 'No fleet interactions, neutral default'
      : `Mean coherence ${meanCoherence(peers)} over ${peers.count} peers`,
    ...(points === 0 ? [] : [`Propagated adjustment ${points > 0 ? '+' : ''}${points}`]),
  ]
}

function meanCoherence(peers: ScoreInput['peers']): string {
  const { count, pairScoreE4Sum } = weighPeers(peers)
  return (round(pairScoreE4Sum / (100 * count)) / 100).toFixed(2)
}
