export {
  ASSURANCE_LEVELS,
  ASSURANCE_LIMITS,
  ASSURANCE_NEEDS,
  ASSURANCE_WINDOW_DAYS,
  type Assurance,
  type AssuranceCounts,
  type AssuranceDay,
  type AssuranceGap,
  type AssuranceInput,
  type AssuranceLevel,
  type AssuranceLimit,
  type AssuranceName,
  assess,
  assuranceGaps,
  assuranceName,
  assuredScore,
  firstAssuranceDay,
  HISTORY_DAYS_MIN,
  hasLowNovelty,
  isAssuranceLevel,
  sumAssuranceDays,
  utcDay,
} from './assurance.ts'
export { type AssuredCheckpoint, createAssuranceDays } from './assurance-day.ts'
export { ASSURANCE_CONDITIONS, ASSURANCE_LIMIT_CONDITIONS } from './assurance-text.ts'
export {
  BADGE_VARIANTS,
  type Badge,
  type BadgeSubject,
  type BadgeVariant,
  badgeEtag,
  badgeSvg,
  TEAM_BADGE_VARIANTS,
} from './badge.ts'
export {
  type AssuranceTally,
  type Benchmarks,
  benchmarks,
  percentile,
  type ScoreTally,
} from './benchmarks.ts'
export { VIOLATION_HALF_LIFE_HOURS, VIOLATION_WINDOW_MS, type Violation } from './compliance.ts'
export {
  COHERENCE_DEFAULT,
  COMPONENTS,
  type ComponentKey,
  type ComponentScores,
  componentScores,
  compositeScore,
  PAIR_WEIGHTS,
} from './component-scores.ts'
export {
  compareCodePoints,
  DIRECTORY_SORTS,
  type DirectoryRank,
  type DirectorySort,
  directoryOrder,
} from './directory-order.ts'
export { GRADES, type Grade, NOT_RATED, type Standing, standingOf, type Tier } from './grade.ts'
export type { Evidence, ReasonCode } from './reason-codes.ts'
export {
  type Basis,
  CHECKPOINTS_MIN,
  CONFIDENCE_LEVELS,
  type Confidence,
  confidenceOf,
  isEligible,
  METHODOLOGY,
  type Rated,
  type RatedComponent,
  rate,
  type Unrated,
  type UnratedComponent,
  unrated,
} from './score.ts'
export type { PeerScores, ScoreInput } from './score-input.ts'
export { type ScoreLogEntry, TREND_WINDOW_MS, trend30d, weekStart } from './trend.ts'
export {
  conservativeScore,
  describeUncertainty,
  FORECAST_DAYS,
  type GradeProbability,
  gradeProbability,
  INTERVAL_LEVEL,
  type Margins,
  scoreMargins,
  type Uncertainty,
  wilsonInterval,
} from './uncertainty.ts'
