export { type PairCoherence, pairCoherence, type ValueHolder } from './coherence.ts'
export { DIVERGENCES_MAX, type ValueDivergence } from './divergence.ts'
export { type FleetCoherence, fleetCoherence } from './fleet-coherence.ts'
export {
  ACTION_TYPES,
  type Counterparty,
  individualRisk,
  RISK_BREAKERS,
  RISK_FORMULA,
  RISK_LEVELS,
  RISK_THRESHOLDS,
  RISK_TOLERANCES,
  RISK_VIOLATION_DAYS_END,
  type RiskInput,
  type RiskLevel,
  type RiskResult,
  type RiskSubject,
  riskWeights,
  violationRisk,
} from './individual-risk.ts'
export { committedRiskInputs, inputsCommitment } from './risk-commitment.ts'
export { explainRisk, RISK_CONFIDENCE, riskFactors } from './risk-explanation.ts'
export { COORDINATION_MODES } from './team-game.ts'
export { type PairScore, reportTeam, type TeamReport } from './team-report.ts'
export {
  TEAM_BREAKERS,
  TEAM_RISK_FORMULA,
  TEAM_RISK_THRESHOLDS,
  type TeamMember,
  type TeamRisk,
  type TeamRiskInput,
  teamRisk,
} from './team-risk.ts'
