import { useQuery } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { useEffect, useId, useState } from 'react'
import { type Found, findSections } from '../../docs/find-sections.ts'
import { Input } from '../../ui/field.tsx'

/** Searches all documents in this browser; the texts are loaded when somebody searches. */
export function DocsSearch() {
  const [query, setQuery] = useState('')
  const [isUsed, setIsUsed] = useState(false)
  const { href } = useLocation()
  const id = useId()
  const index = useQuery({
    queryKey: ['docs search'],
    queryFn: async () => (await import('../../docs/search-index.ts')).SEARCH_ENTRIES,
    staleTime: Number.POSITIVE_INFINITY,
    enabled: isUsed,
  })
  useEffect(() => {
    // A result was followed.
    if (href !== '') setQuery('')
  }, [href])
  const found = index.data === undefined ? [] : findSections(index.data, query)
  return (
    <search className="relative">
      <label htmlFor={id} className="sr-only">
        Search the documentation
      </label>
      <Input
        id={id}
        type="search"
        placeholder="Search the documentation"
        autoComplete="off"
        value={query}
        onFocus={() => setIsUsed(true)}
        onChange={(event) => setQuery(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && setQuery('')}
      />
      {query.trim() === '' ? null : <Results found={found} state={index.status} />}
    </search>
  )
}

type ResultsProps = { found: readonly Found[]; state: 'pending' | 'error' | 'success' }

function Results({ found, state }: ResultsProps) {
  return (
    <div className="absolute inset-x-0 top-full z-20 mt-1 max-h-[70vh] overflow-y-auto rounded-card border border-line bg-raised p-1.5 shadow-soft lg:right-auto lg:w-[30rem]">
      <p role="status" className={found.length > 0 ? 'sr-only' : 'px-2.5 py-3 text-sm'}>
        {statusOf(found.length, state)}
      </p>
      <ul aria-label="Results">
        {found.map(({ entry, excerpt }) => (
          <li key={entry.address}>
            <a
              href={entry.address}
              className="block rounded-md px-2.5 py-2 text-sm hover:bg-sunken focus-visible:bg-sunken"
            >
              <span className="block font-medium">{entry.heading}</span>
              <span className="block truncate text-xs text-ink-faint">
                {entry.title === entry.heading ? '' : `${entry.title} · `}
                {excerpt}
              </span>
            </a>
          </li>
        ))}
      </ul>
    </div>
  )
}

function statusOf(count: number, state: ResultsProps['state']): string {
  if (state === 'pending') return 'Loading…'
  if (state === 'error') return 'The search could not be loaded. Reload the page to try again.'
  return count === 0 ? 'Nothing found. Try fewer or other words.' : `${count} found`
}
