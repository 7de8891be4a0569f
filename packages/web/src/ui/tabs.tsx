import type { ReactNode } from 'react'

/** A row of tab links that scrolls horizontally if it does not fit. */
export function Tabs({ label, children }: { label: string; children: ReactNode }) {
  return (
    <nav
      aria-label={label}
      className="mb-6 flex gap-5 overflow-x-auto border-b border-line text-sm [scrollbar-width:none] print:hidden"
    >
      {children}
    </nav>
  )
}

/** The class of each tab link; the router adds `active` to the current one. */
export const TAB_CLASS =
  'inline-flex items-center gap-1.5 border-b-2 border-transparent py-2.5 whitespace-nowrap text-ink-soft hover:text-ink [&.active]:border-accent [&.active]:font-medium [&.active]:text-ink'
