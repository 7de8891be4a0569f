import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

export type Column<Row> = {
  key: string
  label: ReactNode
  /** Shown in the header in place of the label. */
  header?: ReactNode
  cell: (row: Row) => ReactNode
  /** Right for numbers. */
  align?: 'left' | 'right'
  className?: string
  /**
   * On a phone the cell takes a full line without its label. Defaults to true for the first column.
   */
  ownLine?: boolean
  /** How the rows are sorted by this column. */
  sorted?: 'ascending' | 'descending' | undefined
}

export type TableProps<Row> = {
  /** Accessible name of the table. */
  caption: string
  columns: Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  /** Marks the row whose details are shown beside the table. */
  isCurrent?: (row: Row) => boolean
}

/**
 * On a phone each row is a block of labelled cells, because a table would be cut off. On wider
 * screens a table that does not fit scrolls by itself; the page never scrolls sideways.
 */
export function Table<Row>({ caption, columns, rows, keyOf, isCurrent }: TableProps<Row>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <section className="relative overflow-x-auto" tabIndex={0} aria-label={caption}>
      <table className="w-full border-collapse text-sm max-sm:block">
        <caption className="sr-only">{caption}</caption>
        <thead className="max-sm:sr-only">
          <tr className="border-b border-line text-left text-xs text-ink-faint">
            {columns.map((column) => (
              <th
                key={column.key}
                scope="col"
                aria-sort={column.sorted}
                className={cellClass(column, 'py-2 font-medium')}
              >
                {column.header ?? column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="max-sm:block">
          {rows.map((row) => (
            <tr
              key={keyOf(row)}
              aria-current={isCurrent?.(row) === true ? 'true' : undefined}
              className={ROW}
            >
              {columns.map((column, place) => (
                <Cell key={column.key} column={column} row={row} isFirst={place === 0} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** A link of a row can cover it with `ROW_LINK`, so that the whole row opens it. */
const ROW = classNames(
  'relative border-b border-line last:border-0 hover:bg-sunken/50',
  'aria-[current=true]:bg-sunken aria-[current=true]:shadow-[inset_2px_0_0_var(--accent)]',
  'max-sm:flex max-sm:flex-wrap max-sm:items-baseline max-sm:gap-x-4 max-sm:gap-y-1.5',
  'max-sm:px-5 max-sm:py-3',
)

/** The class of a link that the whole row follows. Other links of the row need `relative z-10`. */
export const ROW_LINK =
  'outline-none after:absolute after:inset-0 focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-focus'

type CellProps<Row> = { column: Column<Row>; row: Row; isFirst: boolean }

function Cell<Row>({ column, row, isFirst }: CellProps<Row>) {
  const { label, ownLine = isFirst } = column
  return (
    <td
      className={classNames(
        cellClass(column, 'py-2.5 align-top'),
        'max-sm:min-w-0 max-sm:p-0 max-sm:text-left',
        ownLine ? 'max-sm:basis-full' : 'max-sm:flex max-sm:items-baseline max-sm:gap-1.5',
      )}
    >
      {isFirst || ownLine ? null : (
        <span className="text-xs text-ink-faint sm:hidden" aria-hidden="true">
          {label}
        </span>
      )}
      {column.cell(row)}
    </td>
  )
}

function cellClass<Row>(column: Column<Row>, base: string): string {
  return classNames(
    'px-5',
    base,
    column.align === 'right' && 'text-right tabular',
    column.className,
  )
}
