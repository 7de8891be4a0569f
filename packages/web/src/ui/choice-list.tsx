import { type ReactNode, useState } from 'react'
import { Input } from './field.tsx'

export type Choice = { value: string; label: ReactNode; text: string }

export type ChoiceListProps = {
  label: string
  choices: readonly Choice[]
  chosen: readonly string[]
  onChange: (chosen: string[]) => void
}

/** Lists of at least this many choices get a search field. */
const SEARCH_FROM = 8

/** A multi-select list of checkboxes, with a search field if the list is long. */
export function ChoiceList({ label, choices, chosen, onChange }: ChoiceListProps) {
  const [search, setSearch] = useState('')
  const wanted = search.trim().toLowerCase()
  const shown = choices.filter(
    ({ value, text }) => chosen.includes(value) || text.toLowerCase().includes(wanted),
  )
  const toggle = (value: string) =>
    onChange(chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value])
  return (
    <fieldset className="grid min-w-0 gap-2">
      <legend className="mb-1 text-sm font-medium">
        {label} <span className="font-normal text-ink-faint">{chosen.length} selected</span>
      </legend>
      {choices.length < SEARCH_FROM ? null : (
        <Input
          type="search"
          aria-label={`Search ${label.toLowerCase()}`}
          placeholder="Search"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
      )}
      <div className="grid max-h-56 overflow-y-auto rounded-md border border-line bg-raised">
        {shown.map(({ value, label: shownLabel }) => (
          <label
            key={value}
            className="flex min-w-0 cursor-pointer items-center gap-2.5 border-b border-line px-3 py-1.5 text-sm last:border-0 hover:bg-sunken/50"
          >
            <input
              type="checkbox"
              checked={chosen.includes(value)}
              onChange={() => toggle(value)}
              className="size-4 shrink-0 accent-accent"
            />
            <span className="min-w-0 break-words">{shownLabel}</span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
