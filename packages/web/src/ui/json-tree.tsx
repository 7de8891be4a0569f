import { escapeInvisible } from '@touchstone/protocol/base'
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

export type JsonTreeProps = {
  value: Readonly<Record<string, unknown>>
  /** Paths such as `order.amount` that are marked. */
  marked: ReadonlySet<string>
  /** Stands beside a marked value. */
  mark: ReactNode
}

/**
 * A JSON object as a list of its members. It may be untrusted, so nothing of it is left out, and nothing is
 * invisible.
 */
export function JsonTree({ value, marked, mark }: JsonTreeProps) {
  return <Members entries={Object.entries(value)} path="" marked={marked} mark={mark} />
}

type MembersProps = Omit<JsonTreeProps, 'value'> & {
  entries: readonly (readonly [string, unknown])[]
  path: string
}

function Members({ entries, path, marked, mark }: MembersProps) {
  return (
    <ul className={classNames('grid text-sm', path !== '' && 'mt-1 border-l border-line pl-3')}>
      {entries.map(([key, value]) => {
        const own = path === '' ? key : `${path}.${key}`
        const isMarked = marked.has(own)
        const inner = membersOf(value)
        const isNested = inner !== undefined && inner.length > 0
        return (
          <li
            key={key}
            className={classNames(
              'py-1',
              isMarked && '-mx-2 rounded bg-accent-wash px-2 shadow-[inset_3px_0_0_var(--accent)]',
            )}
          >
            <div
              className={classNames(
                'flex flex-wrap items-baseline gap-x-3 gap-y-0.5',
                !isNested && 'sm:grid sm:grid-cols-[minmax(6rem,12rem)_minmax(0,1fr)_auto]',
              )}
            >
              <span className="font-mono text-[0.8125rem] text-ink-soft [overflow-wrap:anywhere]">
                {escapeInvisible(key)}
              </span>
              {isNested ? (
                <span className="text-xs text-ink-soft">{sizeOf(value, inner.length)}</span>
              ) : (
                <Value value={value} />
              )}
              {isMarked ? <span className="text-xs">{mark}</span> : null}
            </div>
            {isNested ? <Members entries={inner} path={own} marked={marked} mark={mark} /> : null}
          </li>
        )
      })}
    </ul>
  )
}

function membersOf(value: unknown): [string, unknown][] | undefined {
  return typeof value === 'object' && value !== null ? Object.entries(value) : undefined
}

function sizeOf(value: unknown, count: number): string {
  const noun = Array.isArray(value) ? 'item' : 'field'
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** Texts have quotes, so that the text 5 differs from the number. */
function Value({ value }: { value: unknown }) {
  if (typeof value === 'string') {
    return (
      <span className="min-w-0 break-words whitespace-pre-wrap text-ink [overflow-wrap:anywhere]">
        <span className="text-ink-soft">“</span>
        {escapeInvisible(value)}
        <span className="text-ink-soft">”</span>
      </span>
    )
  }
  return (
    <span className="min-w-0 font-mono text-[0.8125rem] font-medium [overflow-wrap:anywhere]">
      {JSON.stringify(value)}
    </span>
  )
}
