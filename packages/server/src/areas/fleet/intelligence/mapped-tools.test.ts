import { describe, expect, it } from 'vitest'
import { toolsByAction } from './mapped-tools.ts'

const policyOf = (
  capability_mappings: Record<string, { tools: string[]; card_actions: string[] }>,
) => ({
  capability_mappings,
  forbidden: [],
  escalation_triggers: [],
  defaults: {},
})

describe('toolsByAction', () => {
  it('merges the tools that several policies map to an action, without duplicates', () => {
    const found = toolsByAction(
      [
        policyOf({ web: { tools: ['find', 'get'], card_actions: ['search', 'read'] } }),
        policyOf({ net: { tools: ['get', 'fetch'], card_actions: ['search'] } }),
      ],
      new Set(['search']),
    )
    expect(found).toEqual(new Map([['search', ['find', 'get', 'fetch']]]))
  })

  it('stops at a limit, so that oversized policies cannot exhaust the service', () => {
    const tools = Array.from({ length: 200 }, (_, at) => `t${at}`)
    const card_actions = Array.from({ length: 100 }, (_, at) => `a${at}`)
    const large = policyOf(
      Object.fromEntries(
        Array.from({ length: 200 }, (_, at) => [`c${at}`, { tools, card_actions }]),
      ),
    )
    const found = toolsByAction([large], new Set(card_actions))
    expect(found.size).toBe(100)
    expect(toolsByAction([large, large], new Set(card_actions))).toEqual(found)
  })
})
