import { Link, Outlet } from '@tanstack/react-router'
import { CHAPTERS } from '../../docs/contents.ts'
import { titleOf } from '../../docs/document-files.ts'
import { DocsSearch } from './docs-search.tsx'

const LINK =
  'block rounded-md px-2.5 py-1 text-sm text-ink-soft hover:bg-sunken hover:text-ink [&.active]:bg-sunken [&.active]:font-medium [&.active]:text-ink'

/** The search, the contents, and beside them the document. */
export function DocsLayout() {
  return (
    <div className="mx-auto w-full max-w-[82rem] lg:grid lg:grid-cols-[17rem_minmax(0,1fr)]">
      <div className="border-line px-4 pt-6 max-lg:border-b max-lg:pb-4 lg:sticky lg:top-0 lg:flex lg:h-dvh lg:flex-col lg:border-r lg:pt-7">
        <DocsSearch />
        <details className="mt-3 lg:hidden">
          <summary className="cursor-pointer px-2.5 py-1 text-sm font-medium">Contents</summary>
          <Contents label="Contents" />
        </details>
        <div className="mt-4 overflow-y-auto pb-6 max-lg:hidden">
          <Contents label="Documentation" />
        </div>
      </div>
      <Outlet />
    </div>
  )
}

function Contents({ label }: { label: string }) {
  return (
    <nav aria-label={label} className="grid gap-4">
      {CHAPTERS.map(({ title, ids }) => (
        <section key={title}>
          <p className="px-2.5 pb-1 text-xs font-semibold text-ink-faint">{title}</p>
          <ul>
            {ids.map((id) => (
              <li key={id}>
                <Link to="/docs/$" params={{ _splat: id }} className={LINK}>
                  {titleOf(id) ?? 'API reference'}
                </Link>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  )
}
