export {
  FAULT_LINE_CLASSES,
  type FaultLine,
  type FaultLines,
  findFaultLines,
  summariseFaultLines,
} from './fault-lines.ts'
export {
  FAILURE_MODES,
  type FailureMode,
  type Forecast,
  type ForecastInput,
  forecastByRules,
} from './forecast.ts'
export { mergeProposal, type PolicyProposal } from './merge-proposal.ts'
export {
  isUseful,
  judgeDraft,
  type PolicyDraft,
  type ReasoningStep,
  type Recommendation,
  type RecommendationInput,
  recommendByRules,
} from './recommendation.ts'
