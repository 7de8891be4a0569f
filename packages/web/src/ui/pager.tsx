import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Empty } from './states.tsx'

export type PagerProps = {
  page: number
  perPage: number
  total: number
  onPage: (page: number) => void
}

/** Which part of a list is shown, and the way to the others. Nothing where one page holds all. */
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
  /** Where the whole list is empty, not only this page of it. */
  empty: ReactNode
  children: ReactNode
}

/** One page of a list. Past the end, as where entries have gone meanwhile, a way leads back. */
export function Paged({ empty, children, ...pager }: PagedProps) {
  const { page, perPage, total, onPage } = pager
  if (total === 0) return empty
  const lastPage = Math.ceil(total / perPage)
  if (page > lastPage) {
    return (
      <Empty
        title="Nothing on this page any more"
        action={<Button onClick={() => onPage(lastPage)}>To the last page</Button>}
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
