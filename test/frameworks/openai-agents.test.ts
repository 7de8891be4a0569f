import {
  Agent,
  OpenAIProvider,
  Runner,
  RunState,
  type RunToolApprovalItem,
  tool,
} from '@openai/agents'
import { guardAgents } from '@touchstone/sdk/openai-agents'
import { describe, expect, it } from 'vitest'
import { guardWorld } from '#harness/guarded.ts'
import { startPlannedProvider } from '#harness/mock-provider.ts'
import {
  CALLS,
  type Call,
  frameworkDesk,
  NEEDS_APPROVAL,
  NO_SHELL,
  ORDER_SCHEMA,
  turnsOf,
} from './framework-desk.ts'

const w = guardWorld()

const { search, refund, shell, broken } = CALLS

async function desk(
  calls: readonly Call[],
  options: { local?: boolean; ownApproval?: boolean } = {},
) {
  const own = await frameworkDesk(w, options)
  const provider = await startPlannedProvider()
  provider.plan(...turnsOf(calls))
  const models = new OpenAIProvider({ apiKey: 'none', baseURL: `${provider.url}/v1` })
  const model = await models.getModel('script')

  /** An agent with a guard of its own, as another process would create it. */
  function create() {
    const agents = guardAgents({
      guard: own.guard,
      actions: { shop_search: 'search' },
      sessionOf: () => 'chat-1',
    })
    const tools = Object.entries(own.tools).map(([name, run]) =>
      tool(
        agents.tool({
          name,
          description: name,
          parameters: ORDER_SCHEMA,
          strict: true as const,
          execute: (input: unknown) => run(input as { order: number }),
          ...(options.ownApproval && { needsApproval: true }),
        }),
      ),
    )
    const agent = new Agent({ name: 'Desk', model: agents.model(model), tools })
    return { agents, agent, runner: new Runner({ tracingDisabled: true }) }
  }

  /** The results of the calls, as the model gets them. */
  function results(): string[] {
    const input = provider.requests.at(-1)?.body['input']
    const items: unknown[] = Array.isArray(input) ? input : []
    return items.flatMap((item) => {
      const { type, call_id: id, output } = Object(item)
      return type === 'function_call_output' ? [`${id}: ${output}`] : []
    })
  }
  return { ...own, create, results }
}

const QUESTION = 'Where is order 7?'

type Created = Awaited<ReturnType<Awaited<ReturnType<typeof desk>>['create']>>

async function resumed(
  { agent, runner }: Created,
  state: string,
  answer: (state: RunState<unknown, Agent>, item: RunToolApprovalItem) => void,
) {
  const restored = await RunState.fromString(agent, state)
  for (const item of restored.getInterruptions()) answer(restored as never, item)
  return runner.run(agent, restored)
}

describe('the guard of the OpenAI Agents SDK', () => {
  it('lets allowed calls run, and answers refused ones in place of the tool', async () => {
    const { create, ran, results, decisions, traces } = await desk([search, shell])
    const { agent, runner } = create()
    const { finalOutput } = await runner.run(agent, QUESTION)
    expect(finalOutput).toBe('Done.')
    expect(results()).toEqual(['call_search: in the depot', `call_shell: ${NO_SHELL}`])
    expect(ran).toEqual(['search 7'])
    expect((await decisions()).sort()).toEqual([
      'shell_run block not_executed',
      'shop_search allow executed',
    ])
    const [first] = (await traces()).filter(({ action }) => action.name === 'search')
    expect(first).toMatchObject({
      context: { session_id: 'chat-1' },
      decision: { selection_reasoning: 'The order comes first.' },
    })
  })

  it('notes the reasoning of a streamed answer', async () => {
    const { create, traces } = await desk([search])
    const { agent, runner } = create()
    const stream = await runner.run(agent, QUESTION, { stream: true })
    await stream.completed
    const [first] = await traces()
    expect(first?.decision.selection_reasoning).toBe('The order comes first.')
  })

  it('reports a tool that throws as failed', async () => {
    const { create, results, decisions } = await desk([broken])
    const { agent, runner } = create()
    await runner.run(agent, QUESTION)
    expect(results()).toEqual([expect.stringContaining('broken')])
    expect(await decisions()).toEqual(['shop_broken allow failed'])
  })

  it('interrupts the run at an escalated call, and makes it in another process once approved', async () => {
    const { create, ran, decisions, approve } = await desk([refund])
    const first = create()
    const paused = await first.runner.run(first.agent, QUESTION)
    expect(paused.interruptions).toHaveLength(1)
    const [interruption] = paused.interruptions
    expect(interruption && first.agents.requestOf(interruption)).toMatchObject({
      tool: 'shop_refund',
      arguments: { order: 7 },
      approve_url: expect.stringContaining('/approvals/'),
      local: false,
    })
    expect(ran).toEqual([])
    await approve()
    const result = await resumed(create(), paused.state.toString(), (state, item) =>
      state.approve(item),
    )
    expect(result.finalOutput).toBe('Done.')
    expect(ran).toEqual(['refund 7'])
    expect(await decisions()).toEqual([
      'shop_refund escalate not_executed',
      'shop_refund allow executed',
    ])
  })

  it('refuses an escalated call that only the service can approve and has not', async () => {
    const { create, ran, results, bypasses } = await desk([refund])
    const first = create()
    const { state } = await first.runner.run(first.agent, QUESTION)
    await resumed(first, state.toString(), (own, item) => own.approve(item))
    expect(results()).toEqual([expect.stringContaining(NEEDS_APPROVAL)])
    expect(ran).toEqual([])
    expect(await bypasses()).toBe(0)
  })

  it('makes a call that the user approves, if the policy lets them', async () => {
    const { create, ran, decisions, bypasses } = await desk([refund], { local: true })
    const first = create()
    const { state } = await first.runner.run(first.agent, QUESTION)
    await resumed(create(), state.toString(), (own, item) => own.approve(item))
    expect(ran).toEqual(['refund 7'])
    expect(await decisions()).toEqual([
      'shop_refund escalate not_executed',
      'shop_refund escalate executed',
    ])
    expect(await bypasses()).toBe(0)
  })

  it('does not make a call that the user rejects, also if the service approved it', async () => {
    const { create, ran, approve } = await desk([refund])
    const first = create()
    const { state } = await first.runner.run(first.agent, QUESTION)
    await approve()
    await resumed(create(), state.toString(), (own, item) => own.reject(item))
    expect(ran).toEqual([])
  })

  it("decides about a call after the tool's own approval", async () => {
    const { create, ran, results, decisions } = await desk([shell], { ownApproval: true })
    const first = create()
    const { state } = await first.runner.run(first.agent, QUESTION)
    expect(await decisions()).toEqual([])
    await resumed(first, state.toString(), (own, item) => own.approve(item))
    expect(ran).toEqual([])
    expect(results()).toEqual([expect.stringContaining(NO_SHELL)])
    expect(await decisions()).toEqual(['shell_run block not_executed'])
  })
})
