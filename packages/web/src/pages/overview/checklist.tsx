import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { readStored, store } from '../../session/browser-storage.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { ArrowIcon, CheckIcon } from '../../ui/icons.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import type { SetupStep } from './setup-steps.ts'

type StepText = {
  title: string
  text: string
  to:
    | '/o/$orgId/connect'
    | '/o/$orgId/policies'
    | '/o/$orgId/settings/members'
    | '/o/$orgId/webhooks'
}

const STEPS: Record<SetupStep['key'], StepText> = {
  agent: {
    title: 'Connect an agent',
    text: 'A coding agent, an MCP server, a framework, or just a new address for its model.',
    to: '/o/$orgId/connect',
  },
  decision: {
    title: 'See the first decision',
    text: 'Let the agent call a tool. The decision appears here when it is made.',
    to: '/o/$orgId/connect',
  },
  policy: {
    title: 'Write a policy',
    text: 'Say which tools are allowed, which are forbidden, and which need a person.',
    to: '/o/$orgId/policies',
  },
  colleague: {
    title: 'Invite a colleague',
    text: 'Two people answer approvals sooner than one.',
    to: '/o/$orgId/settings/members',
  },
  webhook: {
    title: 'Add a webhook',
    text: 'Send blocked calls, approvals and score changes to your own systems.',
    to: '/o/$orgId/webhooks',
  },
}

/** The steps that set up an organisation. They tick themselves. */
export function Checklist({ orgId, steps }: { orgId: string; steps: readonly SetupStep[] }) {
  const done = steps.filter(({ isDone }) => isDone).length
  const next = steps.find(({ isDone }) => !isDone)
  return (
    <section
      aria-labelledby="checklist"
      className="overflow-hidden rounded-card border border-line bg-surface shadow-soft"
    >
      <header className="grid gap-2 px-5 py-4">
        <div className="flex flex-wrap items-baseline justify-between gap-x-4">
          <h2 id="checklist" className="font-serif text-xl font-semibold">
            Set up your organisation
          </h2>
          <p className="text-sm text-ink-soft tabular" role="status">
            {done} of {steps.length} done
          </p>
        </div>
        <Progress done={done} total={steps.length} />
      </header>
      <ol className="border-t border-line">
        {steps.map((step, place) => (
          <StepLine
            key={step.key}
            orgId={orgId}
            step={step}
            number={place + 1}
            isNext={step === next}
          />
        ))}
      </ol>
    </section>
  )
}

const HIDDEN_AS = 'touchstone.setup-hidden'

/** The next step alone, which the reader can hide in this browser. */
export function NextStep({ orgId, steps }: { orgId: string; steps: readonly SetupStep[] }) {
  const key = `${HIDDEN_AS}.${orgId}`
  const [isHidden, setIsHidden] = useState(readStored(key) !== null)
  const next = steps.find(({ isDone }) => !isDone)
  if (isHidden || next === undefined) return null
  const { title, to } = STEPS[next.key]
  const done = steps.filter(({ isDone }) => isDone).length
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-card border border-line bg-surface px-5 py-2 text-sm shadow-soft">
      <span className="text-ink-soft tabular">
        Setup {done} of {steps.length}
      </span>
      <TextLink to={to} params={{ orgId }} className="font-medium">
        {title}
      </TextLink>
      <Button
        tone="quiet"
        className="-mr-3 ml-auto"
        onClick={() => {
          store(key, 'yes')
          setIsHidden(true)
        }}
      >
        Hide
      </Button>
    </p>
  )
}

function Progress({ done, total }: { done: number; total: number }) {
  return (
    <span aria-hidden="true" className="flex gap-1">
      {Array.from({ length: total }, (_, place) => `step ${place}`).map((key, place) => (
        <span
          key={key}
          className={classNames(
            'h-1.5 flex-1 rounded-full',
            place < done ? 'bg-good' : 'bg-sunken',
          )}
        />
      ))}
    </span>
  )
}

type StepLineProps = { orgId: string; step: SetupStep; number: number; isNext: boolean }

function StepLine({ orgId, step: { key, isDone }, number, isNext }: StepLineProps) {
  const { title, text, to } = STEPS[key]
  return (
    <li
      className={classNames(
        'relative grid grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-4 border-b border-line px-5 py-4 last:border-0 hover:bg-sunken/60',
        isNext && 'bg-accent-wash/40',
      )}
    >
      <span
        className={classNames(
          'grid size-7 place-items-center rounded-full text-sm font-semibold tabular',
          isDone ? 'bg-good-wash text-good' : 'border border-line-strong text-ink-soft',
        )}
      >
        {isDone ? <CheckIcon /> : number}
        <span className="sr-only">{isDone ? 'Done' : ''}</span>
      </span>
      <span className="min-w-0">
        <Link
          to={to}
          params={{ orgId }}
          className="font-medium outline-none after:absolute after:inset-0 focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-focus"
        >
          {title}
        </Link>
        <span className="block text-sm text-ink-soft">{text}</span>
      </span>
      <span className="text-ink-faint">{isDone ? null : <ArrowIcon />}</span>
    </li>
  )
}
