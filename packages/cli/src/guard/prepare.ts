import { canonicalJson } from '@touchstone/protocol/base'
import { defaultCard } from '@touchstone/protocol/cards'
import type { PolicyDocument } from '@touchstone/protocol/policy'
import { ApiError, type Client } from '@touchstone/sdk'

export type Preparation = {
  agent: string
  /** Named in the agent's description, when it is made known here. */
  server: string
  /** Holds for the agent before its first call is judged. */
  policy: PolicyDocument | undefined
  now(): Date
  /** Told which policy holds, as nobody else says that it was replaced. */
  note(line: string): void
}

/** Makes the agent known where it is not, and its policy the given one where it is another. */
export async function prepareAgent(client: Client, preparation: Preparation): Promise<void> {
  const { agent, policy, note } = preparation
  const params = { agent_id: agent }
  if ((await found(client.request('GET', '/v1/agents/{agent_id}', { params }))) === undefined) {
    await client.request('POST', '/v1/agents', { body: newAgent(preparation) })
  }
  if (policy === undefined) return
  const held = await found(client.request('GET', '/v1/agents/{agent_id}/policy', { params }))
  if (held !== undefined && isSame(held, policy)) {
    return note(`${named(held)} of agent ${agent} is the given one already and stays as it is`)
  }
  const body = policy
  const stored = await client.request('PUT', '/v1/agents/{agent_id}/policy', { params, body })
  const before = held === undefined ? '' : `, in place of version ${held.version}`
  note(`${named(stored)} holds now for agent ${agent}${before}`)
}

function named({ id, version }: { id: string; version: number }): string {
  return `policy ${id}, version ${version},`
}

/** Its card grants the actions that the policy maps tools to; nobody else has said yet what it may. */
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

type Rules = Pick<
  PolicyDocument,
  'meta' | 'capability_mappings' | 'forbidden' | 'escalation_triggers' | 'defaults'
>

function isSame(held: object, policy: Rules): boolean {
  const { meta, capability_mappings, forbidden, escalation_triggers, defaults } = policy
  const names = { meta, capability_mappings, forbidden, escalation_triggers, defaults }
  const picked = Object.fromEntries(
    Object.keys(names).map((name) => [name, Reflect.get(held, name) as unknown]),
  )
  return canonicalJson(picked) === canonicalJson(names)
}

async function found<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (err) {
    if (err instanceof ApiError && err.status === 404) return undefined
    throw err
  }
}
