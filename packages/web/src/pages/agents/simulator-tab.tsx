import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { Answer } from '@touchstone/sdk'
import { useEffect, useId, useState } from 'react'
import { api } from '../../session/session.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { GradeMark, gradeColour } from '../../ui/grade.tsx'
import { ArrowIcon } from '../../ui/icons.tsx'
import { Change } from '../../ui/marks.tsx'
import { Loaded } from '../../ui/states.tsx'

type Simulation = Answer<'POST', '/v1/reputation/{agent_id}/simulate'>

const SLIDERS = [
  { name: 'add_clear', label: 'Additional clear checkpoints', max: 1000 },
  { name: 'add_review_needed', label: 'Additional checkpoints that need review', max: 100 },
  { name: 'add_boundary_violations', label: 'Additional boundary violations', max: 20 },
  { name: 'add_traces', label: 'Additional traces', max: 1000 },
  { name: 'advance_days', label: 'Days elapsed', max: 365 },
] as const

type SimulationInput = Record<(typeof SLIDERS)[number]['name'], number>

const NO_CHANGE: SimulationInput = {
  add_clear: 0,
  add_review_needed: 0,
  add_boundary_violations: 0,
  add_traces: 0,
  advance_days: 0,
}

/** Debounces the sliders, because the service allows 30 simulations per minute. */
const DEBOUNCE_MS = 350

export function SimulatorTab() {
  const { agentId } = useParams({ from: '/o/$orgId/agents/$agentId/simulator' })
  const [input, setInput] = useState(NO_CHANGE)
  const [submitted, setSubmitted] = useState(NO_CHANGE)
  useEffect(() => {
    const timer = setTimeout(() => setSubmitted(input), DEBOUNCE_MS)
    return () => clearTimeout(timer)
  }, [input])
  const simulation = useQuery({
    queryKey: ['simulation', `what if ${agentId}`, submitted],
    queryFn: () =>
      api.request('POST', '/v1/reputation/{agent_id}/simulate', {
        params: { agent_id: agentId },
        body: submitted,
      }),
    placeholderData: keepPreviousData,
  })
  return (
    <div className="grid items-start gap-6 lg:grid-cols-2">
      <Card
        title="Scenario"
        note="Simulations are not stored"
        actions={<Button onClick={() => setInput(NO_CHANGE)}>Reset</Button>}
      >
        <div className="grid gap-5">
          {SLIDERS.map(({ name, label, max }) => (
            <Slider
              key={name}
              label={label}
              max={max}
              value={input[name]}
              onChange={(value) => setInput({ ...input, [name]: value })}
            />
          ))}
        </div>
      </Card>
      <Card title="Predicted score">
        <Loaded query={simulation} lines={5}>
          {(found) => <Prediction simulation={found} />}
        </Loaded>
      </Card>
    </div>
  )
}

type SliderProps = { label: string; max: number; value: number; onChange: (value: number) => void }

function Slider({ label, max, value, onChange }: SliderProps) {
  const id = useId()
  return (
    <div className="grid gap-1.5">
      <div className="flex justify-between gap-4 text-sm">
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        <output htmlFor={id} className="font-mono tabular">
          {value}
        </output>
      </div>
      <input
        id={id}
        type="range"
        min={0}
        max={max}
        value={value}
        onChange={(event) => onChange(Number(event.target.value))}
        className="w-full accent-accent"
      />
    </div>
  )
}

function Prediction({ simulation: { current, predicted } }: { simulation: Simulation }) {
  return (
    <div className="grid gap-6" aria-live="polite">
      <div className="flex flex-wrap items-center gap-x-5 gap-y-3">
        <Standing label="Current" {...current} />
        <span className="text-ink-faint">
          <ArrowIcon />
        </span>
        <Standing label="Predicted" {...predicted} />
        {current.score === null || predicted.score === null ? null : (
          <p className="ml-auto text-2xl font-semibold tabular">
            <Change points={predicted.score - current.score} />
          </p>
        )}
      </div>
      <ul className="grid gap-3">
        {predicted.components.map((part, index) => (
          <ComponentLine
            key={part.key}
            label={part.label}
            before={current.components[index]?.score ?? null}
            score={part.score}
          />
        ))}
      </ul>
    </div>
  )
}

type StandingProps = { label: string; score: number | null; grade: Simulation['current']['grade'] }

function Standing({ label, score, grade }: StandingProps) {
  return (
    <div>
      <p className="text-xs text-ink-faint">{label}</p>
      <p className="flex items-center gap-2.5">
        <span
          className="font-serif text-4xl font-semibold tabular"
          style={{ color: gradeColour(grade) }}
        >
          {score ?? '–'}
        </span>
        <GradeMark grade={grade} />
      </p>
    </div>
  )
}

type ComponentLineProps = { label: string; before: number | null; score: number | null }

function ComponentLine({ label, before, score }: ComponentLineProps) {
  return (
    <li className="grid gap-1 text-sm">
      <p className="flex justify-between gap-4">
        <span>{label}</span>
        <span className="flex gap-3 tabular">
          {before === null || score === null || before === score ? null : (
            <Change points={score - before} />
          )}
          {score ?? '–'}
        </span>
      </p>
      <div className="relative h-1.5 rounded-full bg-sunken">
        <div
          className="h-full rounded-full bg-accent transition-[width]"
          style={{ width: `${(score ?? 0) / 10}%` }}
        />
        <div
          aria-hidden="true"
          className="absolute -inset-y-0.5 w-0.5 bg-ink"
          style={{ left: `${(before ?? 0) / 10}%` }}
        />
      </div>
    </li>
  )
}
