import type { ReactNode } from 'react'

export type Fact = { label: string; value: ReactNode }

/** Names and values, one line each. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className="@container grid text-sm">
      {facts.map(({ label, value }) => (
        <div
          key={label}
          className="grid gap-x-4 gap-y-0.5 border-b border-line py-2 last:border-0 grid-cols-[6.5rem_minmax(0,1fr)] @md:grid-cols-[10rem_minmax(0,1fr)]"
        >
          <dt className="text-ink-faint">{label}</dt>
          <dd className="min-w-0 break-words">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** An id as it is, in full, so that it can be found again elsewhere. */
export function Id({ children }: { children: string }) {
  return <span className="font-mono text-[0.8125rem] break-all">{children}</span>
}
