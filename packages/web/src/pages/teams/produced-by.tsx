import type { Forecast } from './queries.ts'

type Produced = Pick<Forecast, 'produced_by' | 'fallback_reason'>

/** Whether rules or a model said it; a reader judges the two differently. */
export function ProducedBy({ by }: { by: Produced }) {
  const { kind, name } = by.produced_by
  const source = kind === 'model' ? `by the model ${name}` : 'by rules'
  if (by.fallback_reason === undefined) return source
  return `${source}, as the model failed (${by.fallback_reason.replaceAll('_', ' ')})`
}
