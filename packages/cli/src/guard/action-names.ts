import { matchesGlob } from '@touchstone/protocol/policy'
import { compareCodePoints } from '@touchstone/protocol/score'
import { ApiError, type Client } from '@touchstone/sdk'

type Mappings = Record<string, { tools: readonly string[]; card_actions: readonly string[] }>

const CACHE_MS = 60_000

/**
 * Looks up the card actions of a tool in the capability mappings of the agent's policy, cached for a
 * minute. Traces need them because cards list actions, not tools. Empty if no mapping matches.
 */
export function createActionNames(client: Client, agent: string, now: () => Date) {
  let mappings: Promise<Mappings> | undefined
  let readAt = Number.NEGATIVE_INFINITY

  async function read(): Promise<Mappings> {
    try {
      const answer = await client.request('GET', '/v1/agents/{agent_id}/policy/resolved', {
        params: { agent_id: agent },
      })
      return answer.resolved_policy.capability_mappings
    } catch (err) {
      if (err instanceof ApiError && err.status < 500 && err.status !== 429) return {}
      mappings = undefined
      throw err
    }
  }

  return async (tool: string): Promise<readonly string[]> => {
    const at = now().getTime()
    if (mappings === undefined || at - readAt >= CACHE_MS) {
      readAt = at
      mappings = read()
    }
    return actionsFor(tool, await mappings)
  }
}

/** Like the gateway without a card: uses the alphabetically first capability that maps the tool. */
export function actionsFor(tool: string, mappings: Mappings): readonly string[] {
  const names = Object.keys(mappings).sort(compareCodePoints)
  const found = names.find((name) => mappings[name]?.tools.some((glob) => matchesGlob(glob, tool)))
  return found === undefined ? [] : (mappings[found]?.card_actions ?? [])
}
