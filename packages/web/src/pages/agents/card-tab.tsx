import { useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import type { CodeProblem } from '../../ui/codemirror.ts'
import { Editor } from '../../ui/editor.tsx'
import { Pill } from '../../ui/pill.tsx'
import { ErrorState, Loaded } from '../../ui/states.tsx'
import { CardHistory } from './card-history.tsx'
import { problemsOf } from './card-problems.ts'
import { type CardText, saveCard, useCardText, validateCard } from './card-queries.ts'
import { useAgentAction } from './queries.ts'

/** Debounces validation while typing. */
const DEBOUNCE_MS = 400

export function CardTab() {
  const { agentId } = useParams({ from: '/o/$orgId/agents/$agentId/card' })
  const card = useCardText(agentId)
  return (
    <div className="grid gap-6">
      <Loaded query={card} lines={5}>
        {(current) => <CardEditor key={current.etag} agentId={agentId} current={current} />}
      </Loaded>
      <CardHistory agentId={agentId} />
    </div>
  )
}

const NONE: CodeProblem[] = []

/** The service's validation of the draft, debounced. */
function useValidation(agentId: string, current: CardText, draft: string) {
  const [found, setFound] = useState<{ draft: string; problems: CodeProblem[] }>()
  const [error, setError] = useState<unknown>()
  const isChanged = draft !== current.text
  useEffect(() => {
    if (!isChanged) return
    let isUnmounted = false
    const timer = setTimeout(() => {
      validateCard(agentId, draft).then(
        (findings) => isUnmounted || setFound({ draft, problems: problemsOf(draft, findings) }),
        (err: unknown) => isUnmounted || setError(err),
      )
    }, DEBOUNCE_MS)
    return () => {
      isUnmounted = true
      clearTimeout(timer)
    }
  }, [agentId, draft, isChanged])
  return {
    error,
    problems: isChanged ? (found?.problems ?? NONE) : NONE,
    isValidated: !isChanged || found?.draft === draft,
  }
}

function CardEditor({ agentId, current }: { agentId: string; current: CardText }) {
  const [draft, setDraft] = useState(current.text)
  const queries = useQueryClient()
  const { problems, isValidated, error } = useValidation(agentId, current, draft)
  const save = useAgentAction(agentId, {
    run: () => saveCard(agentId, { ...current, text: draft }),
    done: (saved) => (saved.updated ? `Version ${saved.version} is active` : 'No changes to save'),
  })
  const errors = problems.filter(({ severity }) => severity === 'error').length
  const isChanged = draft !== current.text
  const submit = () =>
    save.mutate(undefined, {
      onSuccess: () => queries.invalidateQueries({ queryKey: ['card-text'] }),
    })
  return (
    <Card
      title="Alignment card"
      note="The agent’s values, the actions it may take on its own, and when it must escalate"
      actions={
        <div className="flex items-center gap-2">
          <ValidationPill
            isChanged={isChanged}
            isValidated={isValidated}
            errors={errors}
            warnings={problems.length - errors}
          />
          <Button tone="quiet" disabled={!isChanged} onClick={() => setDraft(current.text)}>
            Discard
          </Button>
          <Button
            tone="primary"
            busy={save.isPending}
            disabled={!isChanged || !isValidated || errors > 0}
            onClick={submit}
          >
            Save as new version
          </Button>
        </div>
      }
    >
      <div className="grid gap-3">
        <Editor
          label="Alignment card (YAML)"
          value={draft}
          onChange={setDraft}
          problems={problems}
        />
        {problems.map((problem) => (
          <p
            key={`${problem.line} ${problem.message}`}
            className={`text-sm ${problem.severity === 'error' ? 'text-bad' : 'text-warn'}`}
          >
            Line {problem.line}: {problem.message}
          </p>
        ))}
        {error ? <ErrorState error={error} /> : null}
        {save.error ? <ErrorState error={save.error} /> : null}
      </div>
    </Card>
  )
}

type ValidationProps = {
  isChanged: boolean
  isValidated: boolean
  errors: number
  warnings: number
}

function ValidationPill({ isChanged, isValidated, errors, warnings }: ValidationProps) {
  if (!isChanged) return <Pill>Active</Pill>
  if (!isValidated) return <Pill>Checking…</Pill>
  if (errors > 0) return <Pill tone="bad">{errors === 1 ? '1 error' : `${errors} errors`}</Pill>
  if (warnings > 0)
    return <Pill tone="warn">Valid, {warnings === 1 ? '1 warning' : `${warnings} warnings`}</Pill>
  return <Pill tone="good">Valid</Pill>
}
