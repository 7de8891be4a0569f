import type { ReactNode } from 'react'
import { Bar } from '../bar.tsx'
import type { Tone } from '../pill.tsx'

export type Ranked = { key: string; label: ReactNode; count: number }

/** Counts with a bar each, largest first; the bars are shares of the largest. */
export function RankedList({ items, tone }: { items: readonly Ranked[]; tone: Tone }) {
  const largest = Math.max(...items.map(({ count }) => count))
  return (
    <ol className="grid gap-2.5 text-sm">
      {items.map(({ key, label, count }) => (
        <li key={key} className="grid min-w-0 grid-cols-[minmax(0,1fr)_auto] gap-x-3 gap-y-1">
          <span className="min-w-0 break-words">{label}</span>
          <span className="tabular">{count.toLocaleString('en')}</span>
          <span className="col-span-2">
            <Bar share={count / largest} tone={tone} />
          </span>
        </li>
      ))}
    </ol>
  )
}
