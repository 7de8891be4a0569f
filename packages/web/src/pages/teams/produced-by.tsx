import type { Forecast } from './queries.ts'

type Produced = Pick<Forecast, 'produced_by' | 'fallback_reason'>

/**
 * Whether a model or the built-in rules produced the result, since readers weigh the two
 * differently.
 */
export function ProducedBy({ by }: { by: Produced }) {
  const { kind, name } = by.produced_by
  const source = kind === 'model' ? `by the model ${name}` : 'by built-in rules'
  if (by.fallback_reason === undefined) return source
  return `${source} (fallback: ${by.fallback_reason.replaceAll('_', ' ')})`
}
