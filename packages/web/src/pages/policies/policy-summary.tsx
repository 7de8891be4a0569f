import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Card } from '../../ui/card.tsx'
import { Pill } from '../../ui/pill.tsx'
import { Loaded } from '../../ui/states.tsx'
import { type Resolved, useResolvedPolicy } from './queries.ts'

const SHOWN_MAX = 4

/** What an agent is held to, in short: its organisation's policy and its own. */
export function PolicySummary({ orgId, agentId }: { orgId: string; agentId: string }) {
  const resolved = useResolvedPolicy(orgId, agentId)
  return (
    <Loaded query={resolved}>
      {(found) =>
        found === null ? (
          <p className="text-sm text-ink-soft">
            Nothing is laid down for it, so that every call is allowed.
          </p>
        ) : (
          <Rules resolved={found} />
        )
      }
    </Loaded>
  )
}

/** The same as a card, with the way to the policy itself. */
export function PolicyCard({ orgId, agentId }: { orgId: string; agentId: string }) {
  return (
    <Card
      title="Policy"
      note="Which tools it may call."
      actions={
        <Link
          to="/o/$orgId/policies/agents/$agentId"
          params={{ orgId, agentId }}
          className="text-sm text-accent underline"
        >
          Open
        </Link>
      }
    >
      <PolicySummary orgId={orgId} agentId={agentId} />
    </Card>
  )
}

export function PolicyMode({ mode }: { mode: string | undefined }) {
  if (mode === 'enforce') return <Pill tone="good">enforced</Pill>
  return mode === 'off' ? <Pill>off</Pill> : <Pill tone="warn">warns only</Pill>
}

function Rules({ resolved: { resolved_policy: policy, sources } }: { resolved: Resolved }) {
  const { forbidden, escalation_triggers: triggers, capability_mappings: mappings } = policy
  return (
    <div className="grid gap-x-8 gap-y-4 text-sm [grid-template-columns:repeat(auto-fit,minmax(min(14rem,100%),1fr))]">
      <p className="col-span-full flex flex-wrap items-center gap-2 text-ink-soft">
        <PolicyMode mode={policy.defaults.enforcement_mode} />
        {sourcesOf(sources)}
      </p>
      <Rule
        label="May call"
        lines={Object.entries(mappings).map(([name, { tools }]) => ({
          what: tools.join(', '),
          why: name.replaceAll('_', ' '),
        }))}
      />
      <Rule
        label="Must not call"
        lines={forbidden.map(({ pattern, reason }) => ({ what: pattern, why: reason }))}
      />
      <Rule
        label="Depends on the call"
        lines={triggers.map(({ condition, action, reason }) => ({
          what: condition,
          why: `${action}: ${reason}`,
        }))}
      />
    </div>
  )
}

function sourcesOf({ org_policy_version: org, agent_policy_version: own }: Resolved['sources']) {
  const ofOrg = org === 0 ? [] : [`the organisation’s, version ${org}`]
  const ofAgent = own === 0 ? [] : [`its own, version ${own}`]
  return [...ofOrg, ...ofAgent].join('; ')
}

type Line = { what: string; why: ReactNode }

function Rule({ label, lines }: { label: string; lines: readonly Line[] }) {
  if (lines.length === 0) return null
  const more = lines.length - SHOWN_MAX
  return (
    <div className="grid content-start gap-1">
      <h3 className="text-ink-faint">{label}</h3>
      <ul className="grid gap-1.5">
        {lines.slice(0, SHOWN_MAX).map(({ what, why }) => (
          <li key={what}>
            <code className="font-mono text-[0.8125rem] break-words">{what}</code>
            <span className="block text-xs text-ink-soft">{why}</span>
          </li>
        ))}
      </ul>
      {more > 0 ? <p className="text-xs text-ink-faint">and {more} more</p> : null}
    </div>
  )
}
