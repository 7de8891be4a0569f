import {
  Command,
  interrupt,
  MemorySaver,
  MessagesAnnotation,
  StateGraph,
} from '@langchain/langgraph'
import { ToolNode } from '@langchain/langgraph/prebuilt'
import { ChatOpenAI } from '@langchain/openai'
import { touchstoneMiddleware } from '@touchstone/sdk/langchain'
import { guardToolNode } from '@touchstone/sdk/langgraph'
import { AIMessage, createAgent, tool } from 'langchain'
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
const THREAD = { configurable: { thread_id: 'thread 1' } }
const approveAll = { decisions: [{ type: 'approve' }] }
const rejectAll = { decisions: [{ type: 'reject' }] }

async function desk(options: { local?: boolean } = {}) {
  const own = await frameworkDesk(w, options)
  const tools = Object.entries(own.tools).map(([name, run]) =>
    tool((input: { order: number }) => run(input), { name, schema: ORDER_SCHEMA }),
  )
  return { ...own, tools }
}

async function agent(
  calls: readonly Call[],
  options: { local?: boolean; checkpointer?: boolean } = {},
) {
  const own = await desk(options)
  const provider = await startPlannedProvider()
  provider.plan(...turnsOf(calls))
  const model = new ChatOpenAI({
    model: 'script',
    apiKey: 'none',
    useResponsesApi: true,
    configuration: { baseURL: `${provider.url}/v1` },
  })
  const create = () =>
    createAgent({
      model,
      tools: own.tools,
      middleware: [touchstoneMiddleware({ guard: own.guard, actions: { shop_search: 'search' } })],
      ...(options.checkpointer !== false && { checkpointer }),
    })
  const checkpointer = new MemorySaver()
  return { ...own, create, provider }
}

const ask = { messages: [{ role: 'user', content: 'Where is order 7?' }] }
const resume = (answer: object) =>
  new Command<object, Record<string, never>, 'tools'>({ resume: answer })
const resultsOf = ({ messages }: { messages: readonly object[] }) =>
  messages.flatMap((message) => {
    const { tool_call_id: id, content, status } = Object(message)
    return id === undefined ? [] : [`${id} ${status}: ${content}`]
  })

describe('the middleware for LangChain', () => {
  it('lets allowed calls run, and answers refused ones as failed', async () => {
    const { create, ran, decisions, traces } = await agent([search, shell])
    const result = await create().invoke(ask, THREAD)
    expect(resultsOf(result)).toEqual([
      expect.stringMatching(/^call_search .*: in the depot$/),
      `call_shell error: ${NO_SHELL}`,
    ])
    expect(ran).toEqual(['search 7'])
    expect((await decisions()).sort()).toEqual([
      'shell_run block not_executed',
      'shop_search allow executed',
    ])
    const [first] = (await traces()).filter(({ action }) => action.name === 'search')
    expect(first).toMatchObject({
      context: { session_id: 'thread-1' },
      decision: { selection_reasoning: 'The order comes first.' },
    })
  })

  it('reports a tool that throws as failed', async () => {
    const { create, decisions } = await agent([broken])
    await expect(create().invoke(ask, THREAD)).rejects.toThrow('broken')
    expect(await decisions()).toEqual(['shop_broken allow failed'])
  })

  it('interrupts the run at an escalated call, and makes it after a person has approved it', async () => {
    const { create, ran, decisions, approve } = await agent([refund])
    const paused = await create().invoke(ask, THREAD)
    expect(Object(paused)['__interrupt__']).toMatchObject([
      {
        value: {
          actionRequests: [{ name: 'shop_refund', args: { order: 7 } }],
          reviewConfigs: [{ actionName: 'shop_refund', allowedDecisions: ['approve', 'reject'] }],
          touchstone: [
            {
              tool_call_id: 'call_refund',
              approve_url: expect.stringContaining('/approvals/'),
              local: false,
            },
          ],
        },
      },
    ])
    expect(ran).toEqual([])
    await approve()
    // Another process would resume it with an agent of its own.
    const result = await create().invoke(resume(approveAll), THREAD)
    expect(resultsOf(result)).toEqual([expect.stringMatching(/^call_refund .*: refunded$/)])
    expect(ran).toEqual(['refund 7'])
    expect(await decisions()).toEqual([
      'shop_refund escalate not_executed',
      'shop_refund allow executed',
    ])
  })

  it('refuses an escalated call that only the service can approve and has not', async () => {
    const { create, ran, bypasses } = await agent([refund])
    await create().invoke(ask, THREAD)
    const result = await create().invoke(resume(approveAll), THREAD)
    expect(resultsOf(result)).toEqual([
      `call_refund error: ${NEEDS_APPROVAL}; The escalation is pending`,
    ])
    expect(ran).toEqual([])
    expect(await bypasses()).toBe(0)
  })

  it('refuses a call that the user of the graph rejects, also if the service approved it', async () => {
    const { create, ran, approve } = await agent([refund])
    await create().invoke(ask, THREAD)
    await approve()
    const result = await create().invoke(resume(rejectAll), THREAD)
    expect(resultsOf(result)).toEqual([expect.stringContaining('it was not approved')])
    expect(ran).toEqual([])
  })

  it('makes a call that the user of the graph approves, if the policy lets them', async () => {
    const { create, ran, decisions, bypasses } = await agent([refund], { local: true })
    await create().invoke(ask, THREAD)
    await create().invoke(resume(approveAll), THREAD)
    expect(ran).toEqual(['refund 7'])
    expect(await decisions()).toEqual([
      'shop_refund escalate not_executed',
      'shop_refund escalate executed',
    ])
    expect(await bypasses()).toBe(0)
  })

  it('takes an answer about another call for no approval', async () => {
    const { create, ran } = await agent([refund], { local: true })
    await create().invoke(ask, THREAD)
    const answer = { decisions: [{ type: 'approve', tool_call_id: 'call_search' }] }
    await create().invoke(resume(answer), THREAD)
    expect(ran).toEqual([])
  })

  it('refuses an escalated call of a run that cannot be resumed', async () => {
    const { create, ran } = await agent([refund], { checkpointer: false })
    const result = await create().invoke(ask)
    expect(resultsOf(result)).toEqual([`call_refund error: ${NEEDS_APPROVAL}`])
    expect(ran).toEqual([])
  })
})

describe('a guarded tool node of LangGraph', () => {
  type GraphOptions = {
    local?: boolean
    more?: Awaited<ReturnType<typeof desk>>['tools']
    handleToolErrors?: boolean
  }

  async function graph(
    calls: readonly Call[],
    { local = false, more = [], handleToolErrors = true }: GraphOptions = {},
  ) {
    const own = await desk({ local })
    const tool_calls = calls.map(({ tool: name, input: args, id }) => ({ name, args, id }))
    const say = () => ({ messages: [new AIMessage({ content: 'I look first.', tool_calls })] })
    const checkpointer = new MemorySaver()
    const node = new ToolNode([...own.tools, ...more], { handleToolErrors })
    const compiled = new StateGraph(MessagesAnnotation)
      .addNode('model', say)
      .addNode('tools', guardToolNode(node, { guard: own.guard }))
      .addEdge('__start__', 'model')
      .addEdge('model', 'tools')
      .addEdge('tools', '__end__')
      .compile({ checkpointer })
    return { ...own, compiled }
  }

  it('makes the allowed calls of a message only, and reports them', async () => {
    const { compiled, ran, decisions, traces } = await graph([search, shell, broken])
    const result = await compiled.invoke({ messages: [] }, THREAD)
    expect(resultsOf(result).sort()).toEqual([
      expect.stringMatching(/^call_broken error: .*broken/),
      expect.stringMatching(/^call_search .*in the depot$/),
      `call_shell error: ${NO_SHELL}`,
    ])
    expect(ran.sort()).toEqual(['broken', 'search 7'])
    expect((await decisions()).sort()).toEqual([
      'shell_run block not_executed',
      'shop_broken allow failed',
      'shop_search allow executed',
    ])
    expect((await traces())[0]?.decision.selection_reasoning).toBe('I look first.')
  })

  it('interrupts before any call is made, and makes each once when it is resumed', async () => {
    const { compiled, ran, approve } = await graph([search, refund])
    await compiled.invoke({ messages: [] }, THREAD)
    expect(ran).toEqual([])
    await approve()
    const decisions = [{ type: 'approve', tool_call_id: 'call_refund' }]
    const result = await compiled.invoke(resume({ decisions }), THREAD)
    expect(ran.sort()).toEqual(['refund 7', 'search 7'])
    expect(resultsOf(result)).toHaveLength(2)
  })

  it('takes no approval of several calls that names none of them', async () => {
    const second = { ...refund, input: { order: 8 }, id: 'call_second' }
    const { compiled, ran } = await graph([refund, second], { local: true })
    await compiled.invoke({ messages: [] }, THREAD)
    const decisions = [{ type: 'approve' }, { type: 'approve', tool_call_id: 'call_second' }]
    await compiled.invoke(resume({ decisions }), THREAD)
    expect(ran).toEqual(['refund 8'])
  })

  it('makes none of several calls with one id of which one is rejected', async () => {
    const second = { ...refund, input: { order: 999 } }
    const decisionsOf = (...types: string[]) => ({
      decisions: types.map((type) => ({ type, tool_call_id: refund.id })),
    })
    for (const answer of [decisionsOf('approve', 'reject'), decisionsOf('approve')]) {
      const { compiled, ran } = await graph([refund, second], { local: true })
      await compiled.invoke({ messages: [] }, THREAD)
      await compiled.invoke(resume(answer), THREAD)
      expect(ran).toEqual([])
    }
    const { compiled, ran } = await graph([refund, second], { local: true })
    await compiled.invoke({ messages: [] }, THREAD)
    await compiled.invoke(resume(decisionsOf('approve', 'approve')), THREAD)
    expect(ran.sort()).toEqual(['refund 7', 'refund 999'])
  })

  it('reports each call by itself if another one interrupts the graph or throws', async () => {
    const asks: Call = { tool: 'shop_asks', input: { order: 7 }, id: 'call_asks' }
    const askUser = (_: { order: number }) => String(interrupt('Which one?'))
    const asking = tool(askUser, { name: asks.tool, schema: ORDER_SCHEMA })
    const paused = await graph([search, asks], { more: [asking] })
    await paused.compiled.invoke({ messages: [] }, THREAD)
    expect((await paused.decisions()).sort()).toEqual([
      'shop_asks allow not_executed',
      'shop_search allow executed',
    ])
    const thrown = await graph([search, broken], { handleToolErrors: false })
    await expect(thrown.compiled.invoke({ messages: [] }, THREAD)).rejects.toThrow('broken')
    expect((await thrown.decisions()).sort()).toEqual([
      'shop_broken allow failed',
      'shop_search allow executed',
    ])
  })
})
