import { Pill } from '../../ui/pill.tsx'
import { breakerText } from './risk-words.ts'

/** The circuit breakers, which override the score, and why each of them did. */
export function CircuitBreakers({ breakers }: { breakers: readonly string[] }) {
  if (breakers.length === 0) return null
  return (
    <section aria-label="Circuit breakers" className="grid gap-1.5 text-sm">
      <p className="text-ink-soft">Circuit breakers override the score:</p>
      <ul className="grid gap-1.5">
        {breakers.map((code) => {
          const { name, why } = breakerText(code)
          return (
            <li key={code} className="flex flex-wrap items-baseline gap-2">
              <Pill tone="bad">{name}</Pill>
              <span className="text-ink-soft">{why}</span>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
