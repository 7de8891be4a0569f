import type { Forecast } from './queries.ts'

type Produced = Pick<Forecast, 'produced_by' | 'fallback_reason'>

/** Whether rules or a model said it; a reader judges the two differently. */
export function ProducedBy({ by }: { by: Produced }) {
  const { kind, name } = by.produced_by
  const told = kind === 'model' ? `by the model ${name}` : 'by rules'
  if (by.fallback_reason === undefined) return told
  return `${told}, as the model failed (${by.fallback_reason.replaceAll('_', ' ')})`
}
