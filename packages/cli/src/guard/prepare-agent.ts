import { canonicalJson } from '@touchstone/protocol/base'
import { defaultCard } from '@touchstone/protocol/cards'
import type { PolicyDocument } from '@touchstone/protocol/policy'
import { ApiError, type Client } from '@touchstone/sdk'
import { CliError } from '../cli-error.ts'

export type Preparation = {
  agent: string
  /** Named in the agent's description if the agent is registered here. */
  server: string
  /** Put in force before the agent's first call. */
  policy: PolicyDocument | undefined
  now(): Date
  /** Reports the policy in force, because nothing else shows that it was replaced. */
  note(line: string): void
}

/** Registers the agent if it is unknown, and replaces its policy if it differs from the given one. */
export async function prepareAgent(client: Client, preparation: Preparation): Promise<void> {
  const { agent, policy, note } = preparation
  const params = { agent_id: agent }
  if (
    (await findOptional(client.request('GET', '/v1/agents/{agent_id}', { params }))) === undefined
  ) {
    await register(client, preparation)
    note(`agent ${agent} was registered`)
  }
  if (policy === undefined) return
  const current = await findOptional(
    client.request('GET', '/v1/agents/{agent_id}/policy', { params }),
  )
  if (current !== undefined && isSame(current, policy)) {
    return note(`${nameOf(current)} is already in force for agent ${agent}`)
  }
  const body = policy
  const stored = await client.request('PUT', '/v1/agents/{agent_id}/policy', { params, body })
  const replaced = current === undefined ? '' : `, replacing version ${current.version}`
  note(`${nameOf(stored)} is now in force for agent ${agent}${replaced}`)
}

/** Runs once and retries after a failure; concurrent callers share one attempt. */
export function onceSuccessful(work: () => Promise<void>): () => Promise<void> {
  let attempt: Promise<void> | undefined
  return () => {
    attempt ??= work().catch((error: unknown) => {
      attempt = undefined
      throw error
    })
    return attempt
  }
}

/** A guard names its agent after the MCP server by default, and ids are unique in the service. */
async function register(client: Client, preparation: Preparation): Promise<void> {
  try {
    await client.request('POST', '/v1/agents', { body: newAgent(preparation) })
  } catch (err) {
    if (!(err instanceof ApiError) || err.status !== 409) throw err
    const message = `${err.message} Name the agent with --agent or TOUCHSTONE_AGENT.`
    throw new CliError(err.code, message, { cause: err })
  }
}

function nameOf({ id, version }: { id: string; version: number }): string {
  return `policy ${id}, version ${version},`
}

/** The card of a new agent grants the actions that the policy maps tools to. */
function newAgent({ agent, server, policy, now }: Preparation) {
  const mapped = Object.values(policy?.capability_mappings ?? {})
  const actions = [...new Set(mapped.flatMap(({ card_actions }) => card_actions))]
  const card = defaultCard(agent, now())
  const bounded_actions = [...new Set([...card.autonomy_envelope.bounded_actions, ...actions])]
  return {
    agent_id: agent,
    description: `Uses the MCP server ${server} through touchstone guard.`,
    visibility: 'private' as const,
    card: { ...card, autonomy_envelope: { ...card.autonomy_envelope, bounded_actions } },
  }
}

/** Every section of a policy; an answer of the service has further fields. */
const SECTIONS: Readonly<Record<keyof PolicyDocument, true>> = {
  meta: true,
  capability_mappings: true,
  forbidden: true,
  escalation_triggers: true,
  limits: true,
  flows: true,
  model_limits: true,
  defaults: true,
}

function isSame(current: object, policy: PolicyDocument): boolean {
  return canonicalJson(sectionsOf(current)) === canonicalJson(sectionsOf(policy))
}

function sectionsOf(document: object): object {
  const present = Object.entries(document).filter(([name]) => name in SECTIONS)
  return Object.fromEntries(present)
}

async function findOptional<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (err) {
    if (err instanceof ApiError && err.status === 404) return undefined
    throw err
  }
}
