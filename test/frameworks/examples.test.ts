import { describe, expect, it } from 'vitest'
import { textOf } from '#harness/checkpoints.ts'
import { guardWorld, newDeskAgent } from '#harness/guarded.ts'
import { startPlannedProvider } from '#harness/mock-provider.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'
import type { Turn } from '../../packages/server/src/demo/provider/turn.ts'
import { startClaude } from './claude-model.ts'
import { pageCode, runExample } from './run-example.ts'

const w = guardWorld()

const FINAL_TEXT = 'It is due tomorrow. I cannot refund it now.'
const PLAN: readonly (Turn & { id: string })[] = [
  {
    id: 'turn1',
    parts: [{ thinking: textOf(1) }, { tool: 'shop_search', input: { order: 1182 }, id: 'call_1' }],
  },
  {
    id: 'turn2',
    parts: [{ thinking: textOf(2) }, { tool: 'shell_run', input: { command: 'ls' }, id: 'call_2' }],
  },
  {
    id: 'turn3',
    parts: [
      { thinking: textOf(3) },
      { tool: 'shop_refund', input: { order: 1182, amount: 20 }, id: 'call_3' },
    ],
  },
  { id: 'turn4', parts: [{ text: FINAL_TEXT }] },
]
const FOUND = expect.stringMatching(/1182.*in the depot/)
const NO_SHELL = 'shell_run was not called: it is not allowed. No shell'
const NEEDS_APPROVAL = 'shop_refund was not called: a person has to approve it first'
const NOT_APPROVED = 'shop_refund was not called: it was not approved'
const WAITS = expect.stringMatching(/^waits: Refunds need approval/)
const RECORDED = ['execute search_orders', 'deny shell_run', 'escalate refund']

type Part = (typeof PLAN)[number]['parts'][number]

/** Claude Code names the tools of a server after it. */
function asClaudeTool(part: Part): Part {
  return 'tool' in part ? { ...part, tool: `mcp__shop__${part.tool}` } : part
}

async function run(name: string, own: Record<string, string> = {}) {
  const provider = await startPlannedProvider()
  provider.plan(...PLAN)
  const env = { OPENAI_BASE_URL: `${provider.url}/v1`, OPENAI_API_KEY: 'none', MODEL: 'script' }
  return runExample(w, `${name}.mjs`, { ...env, ...own })
}

describe('the examples of frameworks', () => {
  it('guard a LangChain agent', async () => {
    const { code, lines, recorded } = await run('langchain')
    expect(lines).toEqual([
      WAITS,
      expect.stringMatching(/^Approve it at http/),
      FOUND,
      NO_SHELL,
      `${NOT_APPROVED}. Refunds need approval`,
      FINAL_TEXT,
    ])
    expect(code).toBe(0)
    expect(recorded.slice(-4)).toEqual([...RECORDED, 'escalate refund'])
  })

  it('guard tools of the OpenAI Agents SDK', async () => {
    const { code, lines, recorded } = await run('openai-agents')
    expect(lines).toEqual([WAITS, FOUND, NO_SHELL, 'Tool execution was not approved.', FINAL_TEXT])
    expect(code).toBe(0)
    expect(recorded.slice(-3)).toEqual(RECORDED)
  })

  it('guard an agent of the Claude Agent SDK', async () => {
    const turns = PLAN.map(({ id, parts }) => ({ id, parts: parts.map(asClaudeTool) }))
    const { env } = await startClaude(turns)
    const HOME = await temporaryDir()
    const { code, lines, recorded } = await runExample(w, 'claude-agent.mjs', { ...env, HOME })
    expect(
      lines.filter((line) => !line.includes('SHADOWED') && !line.includes('trace-warn')),
    ).toEqual([
      FOUND,
      'PreToolUse:mcp__shop__shell_run hook error: Refused by Touchstone: No shell.',
      WAITS,
      `${NOT_APPROVED}. Refunds need approval`,
      FINAL_TEXT,
    ])
    expect(code).toBe(0)
    expect(recorded.slice(-3)).toEqual(RECORDED)
  })

  it('guard a tool loop of the Responses API', async () => {
    const { code, lines, recorded } = await run('openai-responses')
    const error = (message: string) => JSON.stringify({ error: message })
    expect(lines).toEqual([
      '{"order":1182,"status":"in the depot","due":"tomorrow"}',
      error(NO_SHELL),
      error(`${NEEDS_APPROVAL}. Refunds need approval`),
      FINAL_TEXT,
    ])
    expect(code).toBe(0)
    expect(recorded.slice(-3)).toEqual(RECORDED)
  })

  it('use an agent of your own with its key', async () => {
    const agent_id = await newDeskAgent(w)
    const { key } = await w.touchstone.request('POST', '/v1/api-keys', {
      body: { agent_id, role: 'member', scopes: ['decide', 'ingest'], client: 'sdk' },
    })
    const env = { TOUCHSTONE_AGENT: agent_id, TOUCHSTONE_API_KEY: key ?? '' }
    const { code, lines } = await run('openai-responses', env)
    expect(lines[1]).toBe(JSON.stringify({ error: NO_SHELL }))
    expect(lines.at(-1)).toBe(FINAL_TEXT)
    expect(code).toBe(0)
    const { body } = await w.t.call('GET', `/v1/decisions?agent_id=${agent_id}`, {
      token: w.t.first.api_key,
    })
    expect(body.decisions).toHaveLength(3)
  })
})

describe('the pages of frameworks', () => {
  it.each(['claude-agent', 'langchain', 'openai-agents', 'openai-responses'])(
    'show the example: %s',
    async (name) => {
      const { page, example } = await pageCode(name)
      expect(page).toBe(example)
    },
  )
})
