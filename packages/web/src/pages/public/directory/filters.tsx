import { ASSURANCE_LEVELS } from '@touchstone/protocol/score'
import { type FormEvent, useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Input, Select } from '../../../ui/field.tsx'
import { SearchIcon } from '../../../ui/icons.tsx'
import { sentenceCase } from '../../../ui/marks.tsx'
import { CONFIDENCES, type DirectorySearch, GRADE_FILTERS, readSearch, SORTS } from './queries.ts'

const SORT_NAMES: Record<(typeof SORTS)[number], string> = {
  score: 'Highest score',
  name: 'Name',
  trend: 'Largest increase',
  checkpoints: 'Most evidence',
  assurance: 'Highest assurance',
}

type FiltersProps = { search: DirectorySearch; onChange: (search: DirectorySearch) => void }

/** Filters are kept in the URL, so that a view can be shared. */
export function Filters({ search, onChange }: FiltersProps) {
  const [text, setText] = useState(search.q ?? '')
  const set = (change: Record<string, unknown>) =>
    onChange(readSearch({ ...search, page: undefined, q: text.trim(), ...change }))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    set({})
  }
  return (
    <search>
      <form onSubmit={submit} className="flex flex-wrap gap-2 border-b border-line p-4">
        <div className="flex min-w-52 flex-1 gap-2">
          <Input
            type="search"
            aria-label="Name or ID"
            placeholder="Name or ID"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          <Button type="submit" aria-label="Search">
            <SearchIcon />
          </Button>
        </div>
        <Choice
          label="Grade"
          value={search.grade}
          options={[['', 'All grades'], ...GRADE_FILTERS.map((grade) => [grade, grade] as const)]}
          onChoose={(grade) => set({ grade })}
        />
        <Choice
          label="Confidence"
          value={search.confidence}
          options={[
            ['', 'Any confidence'],
            ...CONFIDENCES.map((one) => [one, `${sentenceCase(one)} confidence`] as const),
          ]}
          onChoose={(confidence) => set({ confidence })}
        />
        <Choice
          label="Assurance"
          value={search.assurance}
          options={[
            ['', 'Any assurance'],
            ...ASSURANCE_LEVELS.filter(({ level }) => level > 0).map(
              ({ level, name }) => [String(level), `At least ${name}`] as const,
            ),
          ]}
          onChoose={(assurance) => set({ assurance })}
        />
        <Choice
          label="Sort by"
          value={search.sort}
          options={SORTS.map((sort) => [sort, SORT_NAMES[sort]] as const)}
          onChoose={(sort) => set({ sort })}
        />
      </form>
    </search>
  )
}

type ChoiceProps = {
  label: string
  value: string | undefined
  options: readonly (readonly [value: string, label: string])[]
  onChoose: (value: string) => void
}

function Choice({ label, value, options, onChoose }: ChoiceProps) {
  return (
    <Select
      aria-label={label}
      value={value ?? options[0]?.[0] ?? ''}
      onChange={(event) => onChoose(event.target.value)}
      className="!w-auto"
    >
      {options.map(([key, name]) => (
        <option key={key} value={key}>
          {name}
        </option>
      ))}
    </Select>
  )
}
