import { matchesGlob } from '@touchstone/protocol/policy'
import { compareCodePoints } from '@touchstone/protocol/score'
import { ApiError, type Client } from '@touchstone/sdk'

type Mappings = Record<string, { tools: readonly string[]; card_actions: readonly string[] }>

const FRESH_MS = 60_000

/**
 * What an agent's card calls the use of a tool, by the mappings of its policy; a trace that named
 * the tool itself would be held against a card that speaks of actions. Empty where nothing says.
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
    if (mappings === undefined || at - readAt >= FRESH_MS) {
      readAt = at
      mappings = read()
    }
    return actionsFor(tool, await mappings)
  }
}

/** As the gateway chooses without a card: the first capability that maps the tool, by its name. */
export function actionsFor(tool: string, mappings: Mappings): readonly string[] {
  const names = Object.keys(mappings).sort(compareCodePoints)
  const found = names.find((name) => mappings[name]?.tools.some((glob) => matchesGlob(glob, tool)))
  return found === undefined ? [] : (mappings[found]?.card_actions ?? [])
}
