import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

export type Column<Row> = {
  key: string
  label: ReactNode
  cell: (row: Row) => ReactNode
  /** Numbers stand at the right. */
  align?: 'left' | 'right'
  className?: string
}

export type TableProps<Row> = {
  /** What the table holds, for those who cannot see it. */
  caption: string
  columns: Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
}

/** A table that scrolls in itself where the screen is narrow, never the page. */
export function Table<Row>({ caption, columns, rows, keyOf }: TableProps<Row>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="relative overflow-x-auto" tabIndex={0} aria-label={caption}>
      <table className="w-full border-collapse text-sm">
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr className="border-b border-line text-left text-xs text-ink-faint">
            {columns.map((column) => (
              <th key={column.key} scope="col" className={cellClass(column, 'py-2 font-medium')}>
                {column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} className="border-b border-line last:border-0 hover:bg-sunken/50">
              {columns.map((column) => (
                <td key={column.key} className={cellClass(column, 'py-2.5 align-top')}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
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
