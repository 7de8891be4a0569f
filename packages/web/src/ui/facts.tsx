import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { CopyIdButton } from './copy.tsx'

export type Fact = { label: string; value: ReactNode }

type FactsProps = {
  facts: readonly Fact[]
  /** Right-aligns short values such as numbers, which makes them easier to compare. */
  valuesAtEnd?: boolean
}

const ROW = 'gap-x-4 gap-y-0.5 border-b border-line py-2 first:pt-0 last:border-0 last:pb-0'
const BESIDE = 'grid grid-cols-[6.5rem_minmax(0,1fr)] @md:grid-cols-[10rem_minmax(0,1fr)]'
const AT_END = 'flex flex-wrap justify-between'

/** A description list with one label and value per line. */
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

/** An id in full, with a button that copies it. */
export function Id({ children }: { children: string | null }) {
  if (children === null) return 'None'
  return (
    <>
      <span className="font-mono text-[0.8125rem] break-all">{children}</span>
      <CopyIdButton id={children} />
    </>
  )
}
