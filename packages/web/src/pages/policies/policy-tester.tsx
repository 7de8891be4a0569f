import type { Evaluation, PolicyDocument } from '@touchstone/protocol/policy'
import { type FormEvent, useState } from 'react'
import { forOrg } from '../../session/for-org.ts'
import { api } from '../../session/session.ts'
import { useAction } from '../../session/use-action.ts'
import { useOrgId } from '../../session/use-org-id.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Field, TextArea } from '../../ui/field.tsx'
import { Verdict } from '../../ui/marks.tsx'
import { Segments } from '../../ui/segments.tsx'
import type { Owner } from './owner.ts'
import { useOrgDocument } from './queries.ts'
import { Reasons } from './reasons.tsx'
import type { layersOf } from './try-call.ts'

export type PolicyTesterProps = {
  owner: Owner
  /** The policy in the editor, if it is valid. */
  policy: PolicyDocument | undefined
  isDraft: boolean
}

type Context = 'gateway' | 'audit'

const CONTEXTS = [
  { value: 'audit', label: 'Strict' },
  { value: 'gateway', label: 'With grace period' },
] as const

/** Evaluates tool calls against the policy in the editor. Nothing is recorded. */
export function PolicyTester({ owner, policy, isDraft }: PolicyTesterProps) {
  const orgId = useOrgId()
  const [tools, setTools] = useState('')
  const [context, setContext] = useState<Context>('audit')
  const [args, setArgs] = useState('')
  const [session, setSession] = useState('')
  const document = useOrgDocument(orgId).data
  const toolNames = namesIn(tools)
  const evaluate = useAction({
    run: async (draft: PolicyDocument): Promise<EvaluationResult> => {
      const [tool = ''] = toolNames
      // The rules of decisions are large, and needed only here.
      const rules = await import('./try-call.ts')
      if (args.trim() !== '' || session.trim() !== '') {
        if (toolNames.length > 1)
          throw new Error('Test one tool at a time when you give arguments or earlier calls.')
        // The service validated this document; its wire type is wider than PolicyRules.
        const org = (document ?? undefined) as Parameters<typeof layersOf>[2]
        const call = { tool, args: rules.readArguments(args), before: namesIn(session) }
        return rules.tryCall(rules.layersOf(owner.kind, draft, org), call)
      }
      return owner.kind === 'agent'
        ? evaluateOnServer({ orgId, agentId: owner.id, draft, tools: toolNames, context })
        : rules.evaluateLocally(draft, toolNames, context)
    },
    refresh: [],
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (policy !== undefined) evaluate.mutate(policy)
  }
  return (
    <Card title="Test policy" note={isDraft ? 'Evaluates the draft' : 'Evaluates this version'}>
      <form onSubmit={submit} className="grid gap-4">
        <Field label="Tools" hint="One tool per line. No tool is called and nothing is recorded.">
          {(control) => (
            <TextArea
              {...control}
              required
              spellCheck={false}
              value={tools}
              placeholder={'mcp__shop__refund\nmcp__shell__run'}
              className="font-mono"
              onChange={(event) => setTools(event.target.value)}
            />
          )}
        </Field>
        <details className="text-sm">
          <summary className="w-fit cursor-pointer text-accent">Arguments and session</summary>
          <div className="mt-3 grid gap-4">
            <Field label="Arguments" hint="A JSON object, for conditions such as args.amount > 100">
              {(control) => (
                <TextArea
                  {...control}
                  spellCheck={false}
                  value={args}
                  placeholder={'{"amount": 250}'}
                  className="font-mono"
                  onChange={(event) => setArgs(event.target.value)}
                />
              )}
            </Field>
            <Field
              label="Earlier calls"
              hint="One tool per line, for limits and flows of a session"
            >
              {(control) => (
                <TextArea
                  {...control}
                  spellCheck={false}
                  value={session}
                  className="font-mono"
                  onChange={(event) => setSession(event.target.value)}
                />
              )}
            </Field>
            <p className="text-xs text-ink-faint">
              Evaluated in your browser, without the agent’s card and grace periods.
            </p>
          </div>
        </details>
        <div className="flex flex-wrap items-center justify-between gap-2">
          <Segments label="Evaluation" value={context} options={CONTEXTS} onChange={setContext} />
          <Button
            type="submit"
            busy={evaluate.isPending}
            disabled={policy === undefined || toolNames.length === 0}
          >
            Test
          </Button>
        </div>
      </form>
      {evaluate.data === undefined ? null : <Result result={evaluate.data} />}
      {owner.kind === 'agent' ? null : (
        <p className="mt-3 text-xs text-ink-faint">
          Evaluated in your browser against this policy alone, without an agent’s own policy and
          card.
        </p>
      )}
    </Card>
  )
}

const namesIn = (text: string) => text.split(/[\s,]+/).filter((name) => name !== '')

type EvaluationResult = Pick<Evaluation, 'verdict' | 'violations' | 'warnings' | 'card_gaps'>

function Result({ result }: { result: EvaluationResult }) {
  const { verdict } = result
  return (
    <div aria-live="polite" className="mt-4 grid gap-3 border-t border-line pt-4">
      <p className="flex items-center gap-2 text-sm">
        Verdict <Verdict verdict={verdict} />
      </p>
      {verdict === 'pass' ? (
        <p className="text-sm text-ink-soft">No violations or warnings</p>
      ) : (
        <Reasons of={result} />
      )}
    </div>
  )
}

type EvaluationRequest = {
  orgId: string
  agentId: string
  draft: PolicyDocument
  tools: string[]
  context: Context
}

function evaluateOnServer({
  orgId,
  agentId,
  draft,
  tools,
  context,
}: EvaluationRequest): Promise<EvaluationResult> {
  return api.request('POST', '/v1/policies/evaluate', {
    ...forOrg(orgId),
    body: { agent_id: agentId, tools, context, policy: draft },
  })
}
