import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useEffect, useId, useState } from 'react'
import { useAgents } from '../../session/use-agents.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Input, Select } from '../../ui/field.tsx'
import { FilterSelect } from '../../ui/filter-select.tsx'
import {
  DECISIONS,
  type DecisionSearch,
  type DecisionWord,
  fromLocalInput,
  isFiltered,
  OUTCOMES,
  SOURCES,
  toLocalInput,
} from './search.ts'

const FROM = '/o/$orgId/decisions'

export function Filters() {
  const { orgId } = useParams({ from: FROM })
  const search = useSearch({ from: FROM })
  const navigate = useNavigate({ from: FROM })
  const set = (changes: DecisionSearch) =>
    void navigate({ search: { ...search, cursor: undefined, ...changes }, replace: true })
  return (
    <div className="mb-3 grid gap-2">
      <div className="grid grid-cols-2 gap-2 sm:flex sm:flex-wrap">
        <DecisionChoice value={search.decision} onChange={(decision) => set({ decision })} />
        <AgentFilter value={search.agent_id} onChange={(agentId) => set({ agent_id: agentId })} />
        <TextFilter
          label="Tool, or a prefix that ends in *"
          placeholder="Tool or prefix*"
          value={search.tool}
          onChange={(tool) => set({ tool })}
        />
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
        <TimeFilter label="To" value={search.to} onChange={(to) => set({ to })} />
        {isFiltered(search) ? (
          <Link to={FROM} params={{ orgId }} className={buttonClass('quiet')}>
            Clear filters
          </Link>
        ) : null}
      </div>
      <FixedFilters search={search} />
    </div>
  )
}

export const SOURCE_LABELS: Record<(typeof SOURCES)[number], string> = {
  api: 'API',
  sdk: 'SDK',
  mcp_guard: 'MCP guard',
  hook: 'Hook',
  model_gateway: 'Model gateway',
}

const OUTCOME_LABELS: Record<(typeof OUTCOMES)[number], string> = {
  executed: 'Executed',
  failed: 'Failed',
  not_executed: 'Not executed',
  none: 'Not reported',
  bypassed: 'Bypassed',
}

/** Filters that only links set; shown so that a short list explains itself. */
function FixedFilters({ search }: { search: DecisionSearch }) {
  const shown = [
    ['Policy', search.policy_id],
    ['Approval', search.escalation_id],
    ['Call', search.call_id],
  ].filter(([, value]) => value !== undefined)
  if (shown.length === 0) return null
  return (
    <p className="flex flex-wrap gap-x-4 gap-y-1 text-sm text-ink-soft">
      {shown.map(([label, value]) => (
        <span key={label}>
          {label}: <span className="font-mono text-[0.8125rem] break-all">{value}</span>
        </span>
      ))}
    </p>
  )
}

const CHOICES: Record<DecisionWord, string> = {
  allow: 'Allowed',
  warn: 'Warning',
  escalate: 'Escalated',
  block: 'Blocked',
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
    <fieldset className="col-span-2 inline-flex max-w-full justify-self-start flex-wrap items-center gap-0.5 rounded-md bg-sunken p-0.5">
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
          {CHOICES[word]}
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
      className="sm:max-w-52"
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

type TextFilterProps = FilterProps & { label: string; placeholder: string }

/** Applied when typing pauses, because each change is a request. */
function TextFilter({ label, placeholder, value = '', onChange }: TextFilterProps) {
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
      aria-label={label}
      placeholder={placeholder}
      className="font-mono sm:max-w-44"
      value={text}
      onChange={(event) => setText(event.target.value)}
    />
  )
}

function TimeFilter({ label, value, onChange }: FilterProps & { label: string }) {
  const id = useId()
  return (
    <span className="col-span-2 flex items-center gap-2 text-sm text-ink-soft">
      <label htmlFor={id} className="w-10 shrink-0 sm:w-auto">
        {label}
      </label>
      <Input
        id={id}
        type="datetime-local"
        className="sm:max-w-56"
        value={toLocalInput(value)}
        onChange={(event) => onChange(fromLocalInput(event.target.value))}
      />
    </span>
  )
}
