import { type ReactNode, use, useEffect } from 'react'
import { AreNamesLoading, StillLoading } from './states.tsx'

export type PageProps = {
  title: string
  /** The browser tab's title, if it differs from the page title. */
  windowTitle?: string
  heading?: ReactNode
  lead?: ReactNode
  actions?: ReactNode
  children: ReactNode
}

/** The frame of every page: a heading, an optional lead sentence and optional actions. */
export function Page({ title, windowTitle, heading, lead, actions, children }: PageProps) {
  // The heading may show a name, and the actions depend on the reader's role.
  const areNamesLoading = use(AreNamesLoading)
  useEffect(() => {
    document.title = `${windowTitle ?? title} · Touchstone`
  }, [title, windowTitle])
  return (
    <div className="mx-auto w-full max-w-[76rem] px-4 py-7 sm:px-6 lg:px-8">
      <header className="mb-6 flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
        <div className="min-w-0 max-w-[46rem]">
          <h1 className="font-serif text-[1.75rem] leading-tight font-semibold break-words">
            {heading ?? title}
          </h1>
          {lead === undefined ? null : <div className="mt-1 text-ink-soft">{lead}</div>}
        </div>
        <StillLoading when={areNamesLoading} />
        {actions === undefined ? null : <div className="flex flex-wrap gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  )
}
