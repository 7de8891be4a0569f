import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Empty } from './states.tsx'

export type PagerProps = {
  page: number
  perPage: number
  total: number
  onPage: (page: number) => void
}

/** The shown range of a list and buttons for the other pages. Renders nothing for a single page. */
export function Pager({ page, perPage, total, onPage }: PagerProps) {
  if (total <= perPage && page === 1) return null
  const first = (page - 1) * perPage + 1
  const last = Math.min(page * perPage, total)
  return (
    <div className="flex flex-wrap items-center justify-between gap-3 border-t border-line px-5 py-2.5 text-sm text-ink-soft">
      <p className="tabular">
        {first}–{last} of {total.toLocaleString('en')}
      </p>
      <div className="flex gap-2">
        <Button disabled={page <= 1} onClick={() => onPage(page - 1)}>
          Newer
        </Button>
        <Button disabled={last >= total} onClick={() => onPage(page + 1)}>
          Older
        </Button>
      </div>
    </div>
  )
}

export type PagedProps = PagerProps & {
  /** Shown if the whole list is empty, not only this page. */
  empty: ReactNode
  children: ReactNode
}

/** One page of a list. A page past the end, such as after deletions, offers a way back. */
export function Paged({ empty, children, ...pager }: PagedProps) {
  const { page, perPage, total, onPage } = pager
  if (total === 0) return empty
  const lastPage = Math.ceil(total / perPage)
  if (page > lastPage) {
    return (
      <Empty
        title="This page is empty"
        action={<Button onClick={() => onPage(lastPage)}>Go to last page</Button>}
      />
    )
  }
  return (
    <>
      {children}
      <Pager {...pager} />
    </>
  )
}
