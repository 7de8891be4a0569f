import { isJsonObject } from '@touchstone/protocol/base'
import { CliError, usageError } from './cli-error.ts'
import { readYaml } from './documents.ts'
import type { Io } from './io.ts'

export const AGENT_FLAG = {
  agent: { type: 'string', value: 'ID', summary: 'the agent, for a policy of scope agent' },
} as const

export type Policy = Record<string, unknown>

/** The agent, team or organisation that a policy applies to. */
export type Target = { scope: 'agent' | 'team'; id: string } | { scope: 'org' }

export type TargetFlags = {
  /** Values of --agent and --team. */
  agent?: string
  team?: string
  /** TOUCHSTONE_AGENT. Ignored for other scopes, as it is set for other commands as well. */
  agentDefault: string | undefined
}

export async function readPolicy(file: string, io: Io): Promise<Policy> {
  const policy = await readYaml(file, io)
  if (!isJsonObject(policy)) throw new CliError('unreadable', `${file}: not a policy document`)
  return policy
}

/** The scope decides. A flag for a different scope is an error, as the wrong file may have been given. */
export function targetOf(policy: Policy, { agent, team, agentDefault }: TargetFlags): Target {
  const scope = scopeOf(policy)
  rejectMismatch('agent', { given: agent, scope })
  rejectMismatch('team', { given: team, scope })
  if (scope === 'org') return { scope }
  const id = scope === 'agent' ? (agent ?? agentDefault) : team
  if (id === undefined) throw usageError(`A policy of scope ${scope} needs --${scope}.`)
  return { scope, id }
}

export function scopeOf({ meta }: Policy): Target['scope'] {
  const scope = isJsonObject(meta) ? meta['scope'] : undefined
  if (scope === 'agent' || scope === 'team' || scope === 'org') return scope
  throw usageError('meta.scope: must be agent, team or org.')
}

function rejectMismatch(
  flag: 'agent' | 'team',
  { given, scope }: { given: string | undefined; scope: Target['scope'] },
): void {
  if (given === undefined || scope === flag) return
  throw usageError(
    `--${flag} is for a policy of scope ${flag}, and this one has scope ${scope}. Leave --${flag} out, or set meta.scope to ${flag}.`,
  )
}
