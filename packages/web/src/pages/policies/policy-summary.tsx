import type { ReactNode } from 'react'
import { Card } from '../../ui/card.tsx'
import { sentenceCase } from '../../ui/marks.tsx'
import { Pill } from '../../ui/pill.tsx'
import { Loaded } from '../../ui/states.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { type Resolved, usePolicyLayers, useResolvedPolicy } from './queries.ts'
import { originOf, type PolicyLayers, type RuleKind } from './rule-origin.ts'

const SHOWN_MAX = 4

/** A summary of the agent's effective policy. */
export function PolicySummary({ orgId, agentId }: { orgId: string; agentId: string }) {
  const resolved = useResolvedPolicy(orgId, agentId)
  const layers = usePolicyLayers(orgId, agentId)
  return (
    <Loaded query={resolved}>
      {(found) =>
        found === null ? (
          <p className="text-sm text-ink-soft">No policy applies, so every call is allowed.</p>
        ) : (
          <Rules resolved={found} layers={layers.data} />
        )
      }
    </Loaded>
  )
}

/** The policy summary as a card with a link to the policy page. */
export function PolicyCard({ orgId, agentId }: { orgId: string; agentId: string }) {
  return (
    <Card
      title="Policy"
      note="Tools the agent may call"
      actions={
        <TextLink
          to="/o/$orgId/policies/agents/$agentId"
          params={{ orgId, agentId }}
          className="text-sm"
        >
          View policy
        </TextLink>
      }
    >
      <PolicySummary orgId={orgId} agentId={agentId} />
    </Card>
  )
}

export function PolicyMode({ mode }: { mode: string | undefined }) {
  if (mode === 'enforce') return <Pill tone="good">Enforced</Pill>
  return mode === 'off' ? <Pill>Off</Pill> : <Pill tone="warn">Warn only</Pill>
}

type RulesProps = { resolved: Resolved; layers: PolicyLayers | undefined }

function Rules({ resolved: { resolved_policy: policy, sources }, layers }: RulesProps) {
  const from = (kind: RuleKind, key: string) => layers && originOf(layers, kind, key)
  const { forbidden, escalation_triggers: triggers, capability_mappings: mappings } = policy
  const { limits = [], flows = [], model_limits: budgets = [] } = policy
  return (
    <div className="grid gap-x-8 gap-y-4 text-sm [grid-template-columns:repeat(auto-fit,minmax(min(14rem,100%),1fr))]">
      <p className="col-span-full flex flex-wrap items-center gap-2 text-ink-soft">
        <PolicyMode mode={policy.defaults.enforcement_mode} />
        {sourcesOf(sources)}
      </p>
      <Rule
        label="Allowed"
        lines={Object.entries(mappings).map(([name, { tools }]) => ({
          what: tools.join(', '),
          why: name.replaceAll('_', ' '),
          from: from('capability_mappings', name),
        }))}
      />
      <Rule
        label="Forbidden"
        lines={forbidden.map(({ pattern, reason }) => ({
          what: pattern,
          why: reason,
          from: from('forbidden', pattern),
        }))}
      />
      <Rule
        label="Conditional"
        lines={triggers.map(({ condition, action, reason, approval }) => ({
          what: condition,
          why: `${actionText(action, approval)}: ${reason}`,
          from: from('escalation_triggers', condition),
        }))}
      />
      <Rule
        label="Limits"
        lines={limits.map((limit) => ({
          what: `${limit.tools.join(', ')}: ${limit.max} per ${limit.per}`,
          why: `${actionText(limit.action, limit.approval)}: ${limit.reason}`,
          from: from('limits', JSON.stringify(limit)),
        }))}
      />
      <Rule
        label="Flows"
        lines={flows.map((flow) => ({
          what: `${flow.from.join(', ')} → ${flow.to.join(', ')}`,
          why: `${actionText(flow.action, flow.approval)}: ${flow.reason}`,
          from: from('flows', JSON.stringify(flow)),
        }))}
      />
      <Rule label="Loops" lines={loopLines(policy.defaults.max_identical_calls)} />
      <Rule
        label="Model budgets"
        lines={budgets.map(({ name, models, max_tokens, max_turns, per, action }) => ({
          what: `${models.join(', ')}: ${amountOf(max_tokens, max_turns)} per ${per}`,
          why: `${actionText(action, undefined)}: ${name}`,
          from: from('model_limits', name),
        }))}
      />
    </div>
  )
}

const ACTIONS: Readonly<Record<string, string>> = {
  warn: 'Warning',
  escalate: 'Needs approval',
  deny: 'Blocked',
  block: 'Blocked',
}

function actionText(action: string, approval: { required?: number } | undefined): string {
  const people = approval?.required ?? 1
  const text = ACTIONS[action] ?? sentenceCase(action)
  if (people === 1) return text
  return action === 'escalate' ? `Needs ${people} approvals` : `${text}, ${people} approvals`
}

function loopLines(callsMax: number | null | undefined): Line[] {
  if (callsMax === null || callsMax === undefined) return []
  return [{ what: `${callsMax} identical calls`, why: 'escalate: the next one in a session' }]
}

function amountOf(tokens: number | undefined, turns: number | undefined): string {
  const parts = [
    tokens === undefined ? [] : [`${tokens} tokens`],
    turns === undefined ? [] : [`${turns} turns`],
  ]
  return parts.flat().join(' or ')
}

function sourcesOf({ org_policy_version: org, agent_policy_version: own }: Resolved['sources']) {
  const ofOrg = org === 0 ? [] : [`Organisation policy, version ${org}`]
  const ofAgent = own === 0 ? [] : [`Agent policy, version ${own}`]
  return [...ofOrg, ...ofAgent].join(' · ')
}

/** `from` names the policies that have the rule. */
type Line = { what: string; why: ReactNode; from?: string | undefined }

function Rule({ label, lines }: { label: string; lines: readonly Line[] }) {
  if (lines.length === 0) return null
  const more = lines.length - SHOWN_MAX
  return (
    <div className="grid content-start gap-1">
      <h3 className="text-ink-faint">{label}</h3>
      <ul className="grid gap-1.5">
        {lines.slice(0, SHOWN_MAX).map((line) => (
          <RuleLine key={line.what} line={line} />
        ))}
      </ul>
      {more > 0 ? (
        <details>
          <summary className="cursor-pointer text-xs text-accent">and {more} more</summary>
          <ul className="mt-1.5 grid gap-1.5">
            {lines.slice(SHOWN_MAX).map((line) => (
              <RuleLine key={line.what} line={line} />
            ))}
          </ul>
        </details>
      ) : null}
    </div>
  )
}

function RuleLine({ line: { what, why, from } }: { line: Line }) {
  return (
    <li>
      <code className="font-mono text-[0.8125rem] break-words">{what}</code>
      <span className="block text-xs text-ink-soft">{why}</span>
      {from === undefined ? null : (
        <span className="block text-xs text-ink-faint">From the policy of the {from}</span>
      )}
    </li>
  )
}
