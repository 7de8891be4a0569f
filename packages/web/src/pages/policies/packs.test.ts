import { expect, it } from 'vitest'
import { checkDraft } from './check-draft.ts'
import { fetchPack, PACK_NAMES, packLabel } from './packs.ts'

it.each(PACK_NAMES)(
  'the pack %s is a valid policy of an agent and of an organisation',
  async (name) => {
    for (const kind of ['agent', 'org'] as const) {
      const { policy, problems } = checkDraft(await fetchPack(name, kind), { kind })
      expect(problems.filter(({ severity }) => severity === 'error')).toEqual([])
      expect(policy?.meta.scope).toBe(kind)
    }
  },
)

it('shows packs by names that people read', () => {
  expect(['ci-bot', 'mcp-filesystem', 'coding-agent'].map(packLabel)).toEqual([
    'CI bot',
    'MCP filesystem',
    'Coding agent',
  ])
})
