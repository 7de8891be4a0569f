export {
  type Analysis,
  CATEGORIES,
  type Category,
  type Concern,
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
export {
  type CheckedValue,
  checkedValues,
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
export type { RuleFacts } from './rule-input.ts'
