import type { ReactNode } from 'react'

/** Links to the parts of one thing, in a row that scrolls by itself where it must. */
export function Tabs({ label, children }: { label: string; children: ReactNode }) {
  return (
    <nav
      aria-label={label}
      className="mb-6 flex gap-5 overflow-x-auto border-b border-line text-sm [scrollbar-width:none]"
    >
      {children}
    </nav>
  )
}

/** For the links within; the router marks the one that is shown. */
export const TAB_CLASS =
  'inline-flex items-center gap-1.5 border-b-2 border-transparent py-2.5 whitespace-nowrap text-ink-soft hover:text-ink [&.active]:border-accent [&.active]:font-medium [&.active]:text-ink'
