import { sentenceCase } from '../../ui/marks.tsx'
import { Pill } from '../../ui/pill.tsx'

/** The circuit breakers that override the score. */
export function CircuitBreakers({ breakers }: { breakers: readonly string[] }) {
  if (breakers.length === 0) return null
  return (
    <p className="flex flex-wrap items-center gap-2 text-sm text-ink-soft">
      Circuit breakers:
      {breakers.map((breaker) => (
        <Pill key={breaker} tone="bad">
          {sentenceCase(breaker)}
        </Pill>
      ))}
    </p>
  )
}
