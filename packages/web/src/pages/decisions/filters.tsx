import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, type Ref, useEffect, useId, useState } from 'react'
import { useAgentName } from '../../names/agent-link.tsx'
import { fromLocalInput, toLocalInput } from '../../range/local-input.ts'
import { useAgents } from '../../session/use-agents.ts'
import { useOrgId } from '../../session/use-org-id.ts'
import { buttonClass } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Input, Select } from '../../ui/field.tsx'
import { FilterSelect } from '../../ui/filter-select.tsx'
import { CrossIcon, SearchIcon } from '../../ui/icons.tsx'
import { Popover } from '../../ui/popover.tsx'
import { formatDate } from '../../ui/time.tsx'
import { ExportMenu } from './export-menu.tsx'
import { chipsOf } from './filter-chips.ts'
import {
  DECISION_LABELS,
  DECISIONS,
  type DecisionSearch,
  type DecisionWord,
  OUTCOME_LABELS,
  OUTCOMES,
  readSearchText,
  SOURCE_LABELS,
  SOURCES,
} from './search.ts'

const FROM = '/o/$orgId/decisions'

/** Changes filters in the address. The page of the list does not survive, as it is of another list. */
function useSetFilters() {
  const search = useSearch({ from: FROM })
  const navigate = useNavigate({ from: FROM })
  const set = (changes: DecisionSearch) =>
    void navigate({
      search: { ...search, cursor: undefined, ...changes },
      replace: true,
      resetScroll: false,
    })
  return { search, set }
}

type FiltersProps = {
  searchField: Ref<HTMLInputElement>
  /** Stands after the chips. */
  action: ReactNode
}

/** The search field, the filters, and below them a chip for each that is set. */
export function Filters({ searchField, action }: FiltersProps) {
  const { search, set } = useSetFilters()
  return (
    <div className="mb-3 grid gap-2.5">
      <search className="relative flex flex-wrap items-center gap-2">
        <span className="relative min-w-0 grow basis-full sm:basis-56">
          <span className="pointer-events-none absolute inset-y-0 left-3 flex items-center text-ink-faint">
            <SearchIcon />
          </span>
          <TextFilter
            label="Search by tool, a prefix that ends in *, or the ID of a decision or approval"
            placeholder="Tool, prefix* or ID"
            className="pl-9"
            field={searchField}
            value={search.tool}
            onChange={(text) => set(readSearchText(text ?? ''))}
          />
        </span>
        <DecisionChoice value={search.decision} onChange={(decision) => set({ decision })} />
        <Popover label="Filters" align="end">
          {() => <MoreFilters search={search} set={set} />}
        </Popover>
        <ExportMenu search={search} />
      </search>
      <Chips search={search} set={set} action={action} />
    </div>
  )
}

type SetProps = { search: DecisionSearch; set: (changes: DecisionSearch) => void }

function MoreFilters({ search, set }: SetProps) {
  return (
    <div className="grid gap-3 [&_select]:max-w-none">
      <AgentFilter value={search.agent_id} onChange={(agentId) => set({ agent_id: agentId })} />
      <TextFilter
        label="Session ID"
        placeholder="Session ID"
        value={search.session_id}
        onChange={(sessionId) => set({ session_id: sessionId })}
      />
      <FilterSelect
        label="Source"
        all="All sources"
        options={SOURCES}
        value={search.source}
        labels={SOURCE_LABELS}
        onChange={(source) => set({ source })}
      />
      <FilterSelect
        label="Outcome"
        all="All outcomes"
        options={OUTCOMES}
        value={search.outcome}
        labels={OUTCOME_LABELS}
        onChange={(outcome) => set({ outcome })}
      />
      <TimeFilter label="From" value={search.from} onChange={(from) => set({ from })} />
      <TimeFilter label="Until" value={search.to} onChange={(to) => set({ to })} />
    </div>
  )
}

function Chips({ search, set, action }: SetProps & { action: ReactNode }) {
  const orgId = useOrgId()
  const agentName = useAgentName()
  const chips = chipsOf(search, { agentName, formatTime: formatDate })
  if (chips.length === 0) return null
  return (
    <ul aria-label="Active filters" className="flex flex-wrap items-center gap-1.5 text-sm">
      {chips.map(({ key, label, value }) => (
        <li
          key={key}
          className="inline-flex max-w-full items-center rounded-md border border-line-strong bg-surface pl-2.5"
        >
          <span className="min-w-0 py-1 [overflow-wrap:anywhere]">
            <span className="text-ink-faint">{label}</span> {value}
          </span>
          <button
            type="button"
            aria-label={`Remove filter ${label}`}
            onClick={() => set({ [key]: undefined })}
            className="ml-1 grid size-7 shrink-0 place-items-center rounded-md text-ink-faint hover:bg-sunken hover:text-ink"
          >
            <CrossIcon />
          </button>
        </li>
      ))}
      <li>
        <Link
          to={FROM}
          params={{ orgId }}
          search={{ open: search.open }}
          resetScroll={false}
          className={buttonClass('quiet')}
        >
          Clear filters
        </Link>
        {action}
      </li>
    </ul>
  )
}

type DecisionChoiceProps = {
  value: readonly DecisionWord[] | undefined
  onChange: (value: DecisionWord[] | undefined) => void
}

/** Any number of decisions; none chosen means all. */
function DecisionChoice({ value = [], onChange }: DecisionChoiceProps) {
  const toggle = (word: DecisionWord) => {
    const next = DECISIONS.filter((one) => (one === word) !== value.includes(one))
    onChange(next.length === 0 ? undefined : next)
  }
  return (
    <fieldset className="inline-flex max-w-full flex-wrap items-center gap-0.5 rounded-md bg-sunken p-0.5">
      <legend className="sr-only">Decisions</legend>
      {DECISIONS.map((word) => (
        <label
          key={word}
          className="cursor-pointer rounded px-2.5 py-1 text-sm text-ink-soft has-checked:bg-raised has-checked:font-medium has-checked:text-ink has-checked:shadow-soft has-focus-visible:outline-2 has-focus-visible:outline-focus"
        >
          <input
            type="checkbox"
            checked={value.includes(word)}
            onChange={() => toggle(word)}
            className="sr-only"
          />
          {DECISION_LABELS[word]}
        </label>
      ))}
    </fieldset>
  )
}

type FilterProps = { value: string | undefined; onChange: (value: string | undefined) => void }

function AgentFilter({ value, onChange }: FilterProps) {
  const agents = useAgents().data?.agents ?? []
  const isListed = value === undefined || agents.some((agent) => agent.agent_id === value)
  return (
    <Select
      aria-label="Agent"
      value={value ?? ''}
      onChange={(event) => onChange(event.target.value || undefined)}
    >
      <option value="">All agents</option>
      {isListed ? null : <option value={value}>{value}</option>}
      {agents.map((agent) => (
        <option key={agent.agent_id} value={agent.agent_id}>
          {agent.name}
        </option>
      ))}
    </Select>
  )
}

const TYPING_MS = 300

type TextFilterProps = FilterProps & {
  label: string
  placeholder: string
  className?: string
  /** The field, for a key that focuses it. */
  field?: Ref<HTMLInputElement>
}

/** Applied when typing pauses, because each change is a request. */
function TextFilter({ label, placeholder, value = '', onChange, ...rest }: TextFilterProps) {
  const [text, setText] = useState(value)
  const [applied, setApplied] = useState(value)
  if (applied !== value) {
    setApplied(value)
    setText(value)
  }
  useEffect(() => {
    if (text.trim() === value) return
    const timer = setTimeout(() => onChange(text.trim() || undefined), TYPING_MS)
    return () => clearTimeout(timer)
  })
  return (
    <Input
      ref={rest.field}
      aria-label={label}
      placeholder={placeholder}
      className={classNames('font-mono', rest.className)}
      value={text}
      onChange={(event) => setText(event.target.value)}
    />
  )
}

function TimeFilter({ label, value, onChange }: FilterProps & { label: string }) {
  const id = useId()
  return (
    <span className="flex items-center gap-2 text-sm text-ink-soft">
      <label htmlFor={id} className="w-10 shrink-0">
        {label}
      </label>
      <Input
        id={id}
        type="datetime-local"
        value={toLocalInput(value)}
        onChange={(event) => onChange(fromLocalInput(event.target.value))}
      />
    </span>
  )
}
