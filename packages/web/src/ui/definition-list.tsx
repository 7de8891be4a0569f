import type { ReactNode } from 'react'

/** Names and values, one under the other, separated by hairlines. */
export function DefinitionList({ items }: { items: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="grid text-sm">
      {items.map(([label, value]) => (
        <div
          key={label}
          className="flex flex-wrap justify-between gap-x-4 gap-y-0.5 border-b border-line py-2 first:pt-0 last:border-0 last:pb-0"
        >
          <dt className="text-ink-faint">{label}</dt>
          <dd className="min-w-0 text-right break-words [overflow-wrap:anywhere]">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
