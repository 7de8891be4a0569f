import { Button } from './button.tsx'

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
