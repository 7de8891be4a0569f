import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

export type Fact = { label: string; value: ReactNode }

type FactsProps = {
  facts: readonly Fact[]
  /** For short values such as numbers, which are easier to compare at the edge of a narrow card. */
  valuesAtEnd?: boolean
}

const ROW = 'gap-x-4 gap-y-0.5 border-b border-line py-2 first:pt-0 last:border-0 last:pb-0'
const BESIDE = 'grid grid-cols-[6.5rem_minmax(0,1fr)] @md:grid-cols-[10rem_minmax(0,1fr)]'
const AT_END = 'flex flex-wrap justify-between'

/** Names and values, one line each, separated by hairlines. */
export function Facts({ facts, valuesAtEnd = false }: FactsProps) {
  return (
    <dl className="@container grid text-sm">
      {facts.map(({ label, value }) => (
        <div key={label} className={classNames(ROW, valuesAtEnd ? AT_END : BESIDE)}>
          <dt className="text-ink-faint">{label}</dt>
          <dd
            className={classNames('min-w-0 [overflow-wrap:anywhere]', valuesAtEnd && 'text-right')}
          >
            {value}
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** An id as it is, in full, so that it can be found again elsewhere. */
export function Id({ children }: { children: string | null }) {
  if (children === null) return 'none'
  return <span className="font-mono text-[0.8125rem] break-all">{children}</span>
}
