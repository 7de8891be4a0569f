import type { UseQueryResult } from '@tanstack/react-query'
import { createContext, type ReactNode, use } from 'react'
import { Button } from './button.tsx'
import { classNames } from './class-names.ts'

export function Skeleton({ className }: { className?: string }) {
  return (
    <div aria-hidden="true" className={classNames('animate-pulse rounded bg-sunken', className)} />
  )
}

const LINES = ['w-11/12', 'w-full', 'w-10/12', 'w-5/6', 'w-2/3']

export function Loading({ lines = 3 }: { lines?: number }) {
  return (
    <div role="status" data-loading="" className="grid gap-3 py-2">
      <span className="sr-only">Loading…</span>
      {LINES.slice(-lines).map((width) => (
        <Skeleton key={width} className={`h-4 ${width}`} />
      ))}
    </div>
  )
}

/** Says that the part it stands in will change its size, without showing anything. */
export function StillLoading({ when }: { when: boolean }) {
  return when ? <span data-loading="" hidden /> : null
}

export type EmptyProps = { title: string; children?: ReactNode; action?: ReactNode }

/** An empty state: a title, an explanation and an optional action. */
export function Empty({ title, children, action }: EmptyProps) {
  return (
    <div className="grid justify-items-center gap-2 px-6 py-10 text-center">
      <p className="font-medium">{title}</p>
      {children === undefined ? null : (
        <div className="max-w-[34rem] text-sm text-ink-soft">{children}</div>
      )}
      {action}
    </div>
  )
}

export type ErrorStateProps = { error: unknown; retry?: () => void; retryLabel?: string }

export function ErrorState({ error, retry, retryLabel = 'Try again' }: ErrorStateProps) {
  return (
    <div
      role="alert"
      className="grid gap-2 rounded-md border border-bad/40 bg-bad-wash px-4 py-3 text-sm text-bad"
    >
      <p className="break-words">{messageOf(error)}</p>
      {retry === undefined ? null : (
        <div>
          <Button onClick={retry}>{retryLabel}</Button>
        </div>
      )}
    </div>
  )
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

export type LoadedProps<T> = {
  query: Pick<UseQueryResult<T>, 'data' | 'error' | 'isPending' | 'refetch'> & {
    fetchStatus?: UseQueryResult['fetchStatus']
  }
  lines?: number
  children: (data: T) => ReactNode
}

/** True while names that any part of the page may show are loading: texts would change their length. */
export const AreNamesLoading = createContext(false)

/** Renders a query as loading, failed or loaded. */
export function Loaded<T>({ query, lines, children }: LoadedProps<T>) {
  const areNamesLoading = use(AreNamesLoading)
  if (query.data !== undefined && !areNamesLoading) return children(query.data)
  if (query.error) return <ErrorState error={query.error} retry={() => void query.refetch()} />
  // A query waits for the network and then goes on by itself.
  if (query.fetchStatus === 'paused') {
    return <Empty title="You are offline">This appears once you are connected again.</Empty>
  }
  return <Loading {...(lines === undefined ? {} : { lines })} />
}
