import {
  compilePolicy,
  type Evaluation,
  evaluatePolicy,
  type PolicyDocument,
  resolvePolicy,
} from '@touchstone/protocol/policy'
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
import { Reasons } from './reasons.tsx'

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
  const toolNames = tools.split(/[\s,]+/).filter((tool) => tool !== '')
  const evaluate = useAction({
    run: async (draft: PolicyDocument): Promise<EvaluationResult> =>
      owner.kind === 'agent'
        ? evaluateOnServer({ orgId, agentId: owner.id, draft, tools: toolNames, context })
        : evaluateLocally(draft, toolNames, context),
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

/**
 * The service evaluates only agent drafts; organisation and team drafts are evaluated here by the
 * same code.
 */
async function evaluateLocally(
  draft: PolicyDocument,
  tools: readonly string[],
  context: Context,
): Promise<EvaluationResult> {
  const resolved = resolvePolicy({ org: draft })
  if (resolved === undefined) throw new Error('There is no policy to evaluate.')
  return evaluatePolicy(compilePolicy({ policy: resolved.policy }), {
    tools,
    context,
    nowMs: Date.now(),
    firstSeenMs: new Map(),
  })
}
