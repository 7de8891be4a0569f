import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { classNames } from '../../ui/class-names.ts'
import { SearchIcon } from '../../ui/icons.tsx'
import { useModal } from '../../ui/use-modal.ts'
import { type Entry, GROUPS } from './entry.ts'
import { entryOfId } from './entry-of-id.ts'
import { findEntries } from './find-entries.ts'
import { useEntries } from './use-entries.ts'

export type PaletteProps = { orgId: string; onClose: () => void; showShortcuts: () => void }

/** Finds pages, agents, teams, policies, actions, and records by their id. */
export function CommandPalette({ orgId, onClose, showShortcuts }: PaletteProps) {
  const dialog = useModal(true)
  const navigate = useNavigate()
  const entries = useEntries(orgId, showShortcuts)
  const [query, setQuery] = useState('')
  const [active, setActive] = useState(0)
  const id = useId()
  const record = entryOfId(orgId, query)
  const found = record === undefined ? findEntries(entries, query) : [record]
  const current = found[Math.min(active, found.length - 1)]
  const choose = ({ act }: Entry) => {
    onClose()
    if (typeof act === 'string') void navigate({ href: act })
    else act()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const next = nextPlace(event.key, active, found.length)
    if (next !== undefined) setActive(next)
    else if (event.key === 'Enter' && current !== undefined) choose(current)
    else return
    event.preventDefault()
  }
  return (
    <dialog
      ref={dialog}
      onClose={onClose}
      aria-label="Command palette"
      className="mx-auto mt-[12vh] w-[min(38rem,calc(100vw-2rem))] rounded-card border border-line bg-surface p-0 text-ink shadow-soft"
    >
      <div className="flex items-center gap-3 border-b border-line px-4 text-ink-faint">
        <SearchIcon />
        <input
          role="combobox"
          aria-label="Search pages, agents, teams, policies and actions"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={current === undefined ? undefined : `${id}-${current.key}`}
          aria-autocomplete="list"
          autoComplete="off"
          spellCheck={false}
          autoFocus
          value={query}
          onChange={(event) => {
            setQuery(event.target.value)
            setActive(0)
          }}
          onKeyDown={onKeyDown}
          placeholder="Search, or paste an ID"
          className="min-h-13 w-full bg-transparent text-base text-ink outline-none placeholder:text-ink-faint"
        />
      </div>
      <Found
        id={id}
        entries={found}
        current={current}
        onPoint={(entry) => setActive(found.indexOf(entry))}
        onChoose={choose}
      />
    </dialog>
  )
}

function nextPlace(key: string, place: number, count: number): number | undefined {
  if (count === 0) return undefined
  if (key === 'ArrowDown') return (place + 1) % count
  if (key === 'ArrowUp') return (place + count - 1) % count
  if (key === 'PageDown') return count - 1
  return key === 'PageUp' ? 0 : undefined
}

type FoundProps = {
  id: string
  entries: readonly Entry[]
  current: Entry | undefined
  onPoint: (entry: Entry) => void
  onChoose: (entry: Entry) => void
}

function Found({ id, entries, current, onPoint, onChoose }: FoundProps) {
  const groups = GROUPS.map((group) => ({
    group,
    own: entries.filter((entry) => entry.group === group),
  }))
  return (
    <div
      id={`${id}-list`}
      role="listbox"
      aria-label="Results"
      tabIndex={-1}
      className="max-h-[min(26rem,60vh)] overflow-y-auto p-2"
    >
      {groups.map(({ group, own }) =>
        own.length === 0 ? null : (
          // biome-ignore lint/a11y/useSemanticElements: groups of options have no element
          <div key={group} role="group" aria-labelledby={`${id}-${group}`}>
            <p id={`${id}-${group}`} className="px-2.5 pt-2 pb-1 text-xs text-ink-faint">
              {group}
            </p>
            {own.map((entry) => (
              <Line
                key={entry.key}
                id={`${id}-${entry.key}`}
                entry={entry}
                isCurrent={entry === current}
                onPoint={() => onPoint(entry)}
                onChoose={() => onChoose(entry)}
              />
            ))}
          </div>
        ),
      )}
      {entries.length === 0 ? (
        <p className="px-2.5 py-6 text-center text-sm text-ink-soft" role="status">
          No results. Search by name, agent ID or decision ID.
        </p>
      ) : null}
    </div>
  )
}

type LineProps = {
  id: string
  entry: Entry
  isCurrent: boolean
  onPoint: () => void
  onChoose: () => void
}

function Line({ id, entry, isCurrent, onPoint, onChoose }: LineProps) {
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isCurrent) element.current?.scrollIntoView({ block: 'nearest' })
  }, [isCurrent])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox has the focus and handles the keys
    <div
      ref={element}
      id={id}
      role="option"
      aria-selected={isCurrent}
      // The focus stays in the search field.
      tabIndex={-1}
      onPointerMove={onPoint}
      onClick={onChoose}
      className={classNames(
        'flex min-h-9 cursor-pointer items-center justify-between gap-4 rounded-md px-2.5 py-1.5 text-sm',
        isCurrent && 'bg-sunken',
      )}
    >
      <span className="min-w-0 truncate">{entry.label}</span>
      <span className="min-w-0 truncate text-xs text-ink-faint">{entry.detail}</span>
    </div>
  )
}
