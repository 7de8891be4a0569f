export {
  type AlignmentCard,
  actionName,
  CONSCIENCE_TYPES,
  type ConscienceConflict,
  type ConscienceValue,
  conscienceConflicts,
  defaultCard,
  type EscalationTrigger,
  isListed,
  STANDARD_VALUES,
} from './card.ts'
export { type CardTemplate, composeCard, type OrgTemplate } from './compose-card.ts'
export {
  type Condition,
  type ConditionFacts,
  type ConditionOutcome,
  evaluateCondition,
  judgeCondition,
  parseCondition,
  toNumber,
} from './condition.ts'
export {
  actingType,
  composeValues,
  type EffectiveValue,
  type OrgValue,
  resolveValues,
  SYSTEM_BASE_VALUES,
  VALUE_SEVERITIES,
  type ValueLayers,
  type ValueSeverity,
  valueNameKey,
} from './conscience.ts'
export { isGeneratedCard } from './generated-card.ts'
export {
  type CardOutcome,
  type CardPlace,
  type CardSubmission,
  validateCard,
} from './validate-card.ts'
export { type TemplateOutcome, validateTemplate } from './validate-template.ts'
