import { describe, expect, it } from 'vitest'
import { toolsByAction } from './mapped-tools.ts'

const memberOf = (
  capability_mappings: Record<string, { tools: string[]; card_actions: string[] }>,
  actions: readonly string[],
) => ({ policy: { capability_mappings }, actions: new Set(actions) })

describe('toolsByAction', () => {
  it('merges the tools that several policies map to an action, without duplicates', () => {
    const found = toolsByAction([
      memberOf({ web: { tools: ['find', 'get'], card_actions: ['search', 'read'] } }, ['search']),
      memberOf({ net: { tools: ['get', 'fetch'], card_actions: ['search'] } }, ['search']),
    ])
    expect(found).toEqual(new Map([['search', ['find', 'get', 'fetch']]]))
  })

  it("leaves out what a member maps to an action that only other members' cards permit", () => {
    const found = toolsByAction([
      memberOf({ web: { tools: ['find'], card_actions: ['search'] } }, []),
      memberOf({}, ['search']),
    ])
    expect(found).toEqual(new Map())
  })

  it('stops at a limit, so that oversized policies cannot exhaust the service', () => {
    const tools = Array.from({ length: 200 }, (_, at) => `t${at}`)
    const card_actions = Array.from({ length: 100 }, (_, at) => `a${at}`)
    const large = memberOf(
      Object.fromEntries(
        Array.from({ length: 200 }, (_, at) => [`c${at}`, { tools, card_actions }]),
      ),
      card_actions,
    )
    const found = toolsByAction([large])
    expect(found.size).toBe(100)
    expect(toolsByAction([large, large])).toEqual(found)
  })
})
