import type { ReactNode } from 'react'

/** A key figure with its label. */
export function Figure({
  label,
  children,
  note,
}: {
  label: string
  children: ReactNode
  note?: ReactNode
}) {
  return (
    <div className="min-w-0">
      <p className="text-xs text-ink-faint">{label}</p>
      <p className="font-serif text-2xl leading-tight font-semibold tabular">{children}</p>
      {note === undefined ? null : <p className="text-xs text-ink-soft">{note}</p>}
    </div>
  )
}
