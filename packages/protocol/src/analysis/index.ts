export {
  type Analysis,
  CATEGORIES,
  type Category,
  type Concern,
  type ConcernSubject,
  type ConscienceContext,
  deriveVerdict,
  EVIDENCE_CHARACTERS_MAX,
  rankOf,
  SEVERITIES,
  type Severity,
  toEvidence,
  toStorable,
  VERDICTS,
  type Verdict,
  worstSeverity,
} from './concern.ts'
export { factsOf, mentions, subjectAmong } from './concern-subject.ts'
export {
  type CheckedValue,
  checkedValues,
  concernType,
  type EnforcementMode,
  type Excerpt,
  type ExtractionMethod,
  enforcementOf,
  extractionOf,
  hasEnoughEvidence,
  type LinkedTrace,
  recommend,
  type Scope,
  scopeOf,
  tokensOf,
  truncateOutput,
  truncateThinking,
  violationType,
} from './pipeline.ts'
export { createRuleAnalyser } from './rule-analyser.ts'
export { withoutSecrets } from './rule-finding.ts'
export type { AnalysedCard, RuleFacts } from './rule-input.ts'
