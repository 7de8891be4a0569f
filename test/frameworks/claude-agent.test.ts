import { createSdkMcpServer, type Options, query, tool } from '@anthropic-ai/claude-agent-sdk'
import { type ClaudeGuardOptions, guardClaudeAgent } from '@touchstone/sdk/claude-agent'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { guardWorld } from '#harness/guarded.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'
import { startClaude } from './claude-model.ts'
import { type Call, frameworkDesk, turnsOf } from './framework-desk.ts'

const w = guardWorld()

const PREFIX = 'mcp__desk__'
const search = { tool: `${PREFIX}shop_search`, input: { order: 7 }, id: 'toolu_search' }
const refund = { tool: `${PREFIX}shop_refund`, input: { order: 7 }, id: 'toolu_refund' }
const broken = { tool: `${PREFIX}shop_broken`, input: { order: 7 }, id: 'toolu_broken' }
const shell = { tool: 'Bash', input: { command: 'touch ran' }, id: 'toolu_shell' }

const policyOf = (local: boolean) => ({
  meta: { schema_version: '1.1', name: 'Desk', scope: 'agent' as const },
  forbidden: [{ pattern: 'Bash', reason: 'No shell', severity: 'critical' as const }],
  escalation_triggers: [
    {
      condition: `tool == '${PREFIX}shop_refund'`,
      action: 'escalate' as const,
      reason: 'Refunds are for people',
      approval: { local },
    },
  ],
  defaults: { enforcement_mode: 'enforce' as const, unmapped_tool_action: 'allow' as const },
})

type Changes = Pick<ClaudeGuardOptions, 'ask' | 'canUseTool'>

async function desk(calls: readonly Call[], { local = false } = {}) {
  const own = await frameworkDesk(w)
  await w.touchstone.policies.put(own.agentId, policyOf(local))
  const model = await startClaude(turnsOf(calls))
  const home = await temporaryDir()
  const server = () =>
    createSdkMcpServer({
      name: 'desk',
      tools: Object.entries(own.tools).map(([name, run]) =>
        tool(name, name, { order: z.number() }, async (input) => ({
          content: [{ type: 'text', text: run(input) }],
        })),
      ),
    })

  /** Runs the agent to its end and returns the results of the calls, as the model gets them. */
  async function run(changes: Changes = {}, options: Options = {}): Promise<string[]> {
    const { hooks, canUseTool } = guardClaudeAgent({ guard: own.guard, ...changes })
    const results: string[] = []
    const messages = query({
      prompt: 'Where is order 7?',
      options: {
        cwd: home,
        env: { PATH: process.env['PATH'], HOME: home, ...model.env },
        settingSources: [],
        mcpServers: { desk: server() },
        allowedTools: ['Bash', `${PREFIX}*`],
        hooks,
        canUseTool,
        ...options,
      },
    })
    for await (const message of messages) {
      if (message.type === 'user') results.push(...model.resultsIn(message.message))
    }
    return results
  }
  return { ...own, run }
}

describe('the guard of the Claude Agent SDK', () => {
  it('lets allowed calls run, and denies refused ones with the reason', async () => {
    const { run, ran, decisions, traces } = await desk([search, shell])
    const results = await run()
    expect(results).toEqual([
      'toolu_search: in the depot',
      expect.stringMatching(/^toolu_shell error: .*No shell/),
    ])
    expect(ran).toEqual(['search 7'])
    expect((await decisions()).sort()).toEqual([
      'Bash block not_executed',
      'mcp__desk__shop_search allow executed',
    ])
    expect((await traces()).map((trace) => trace.decision.selection_reasoning)).toContain(
      'The order comes first.',
    )
  })

  it('reports a tool that fails', async () => {
    const { run, decisions } = await desk([broken])
    expect(await run()).toEqual([expect.stringMatching(/^toolu_broken error: .*broken/)])
    expect(await decisions()).toEqual(['mcp__desk__shop_broken allow failed'])
  })

  it('refuses an escalated call with the page to approve it, if there is nobody to ask', async () => {
    const { run, ran, decisions } = await desk([refund])
    expect(await run()).toEqual([expect.stringMatching(/^toolu_refund error: .*\/approvals\//)])
    expect(ran).toEqual([])
    expect(await decisions()).toEqual(['mcp__desk__shop_refund escalate not_executed'])
  })

  it('waits for the service to approve an escalated call, and makes it then', async () => {
    const { run, ran, decisions, approve } = await desk([refund])
    const results = await run({
      async ask({ tool, local, approve_url }) {
        expect({ tool, local }).toEqual({ tool: refund.tool, local: false })
        expect(approve_url).toContain('/approvals/')
        await approve()
        return true
      },
    })
    expect(results).toEqual(['toolu_refund: refunded'])
    expect(ran).toEqual(['refund 7'])
    expect(await decisions()).toEqual([
      'mcp__desk__shop_refund escalate not_executed',
      'mcp__desk__shop_refund allow executed',
    ])
  })

  it.each(['default', 'bypassPermissions', 'dontAsk', 'acceptEdits'] as const)(
    'never makes a call that only the service can approve, in permission mode %s',
    async (permissionMode) => {
      const { run, ran, bypasses, decisions } = await desk([refund])
      const isBypass = permissionMode === 'bypassPermissions'
      const options = { permissionMode, allowDangerouslySkipPermissions: isBypass }
      const [result] = await run({ ask: async () => true }, options)
      expect(result).toMatch(/^toolu_refund error: /)
      expect(ran).toEqual([])
      expect(await bypasses()).toBe(0)
      expect(new Set(await decisions())).toEqual(new Set([`${refund.tool} escalate not_executed`]))
    },
  )

  it('makes a call that the user approves, if the policy lets them', async () => {
    const { run, ran, decisions, bypasses } = await desk([refund], { local: true })
    await run({ ask: async () => true })
    expect(ran).toEqual(['refund 7'])
    // Decided again, because the agent could have been contained while the user was asked.
    expect(await decisions()).toEqual([
      'mcp__desk__shop_refund escalate not_executed',
      'mcp__desk__shop_refund escalate executed',
    ])
    expect(await bypasses()).toBe(0)
  })

  it('does not make a call that the user rejects', async () => {
    const { run, ran, decisions } = await desk([refund], { local: true })
    await run({ ask: async () => false })
    expect(ran).toEqual([])
    expect(await decisions()).toEqual(['mcp__desk__shop_refund escalate not_executed'])
  })

  it('blocks every call if there is no decision', async () => {
    const { run, ran, guard } = await desk([search])
    const broken = {
      ...guard,
      admit: () => Promise.reject(new Error('the key is not valid')),
    }
    const { hooks } = guardClaudeAgent({ guard: broken })
    expect(await run({}, { hooks })).toEqual([expect.stringMatching(/^toolu_search error: /)])
    expect(ran).toEqual([])
  })

  it('leaves other permissions to the own canUseTool, and reports what it denies', async () => {
    const { run, ran, decisions } = await desk([search])
    const canUseTool = async () => ({ behavior: 'deny' as const, message: 'Not today' })
    expect(await run({ canUseTool }, { allowedTools: [] })).toEqual([
      expect.stringMatching(/^toolu_search error: .*Not today/),
    ])
    expect(ran).toEqual([])
    expect(await decisions()).toEqual(['mcp__desk__shop_search allow not_executed'])
  })
})
