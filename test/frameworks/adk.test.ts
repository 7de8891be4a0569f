import {
  type Event,
  FunctionTool,
  Gemini,
  InMemorySessionService,
  LlmAgent,
  Runner,
  StreamingMode,
} from '@google/adk'
import { touchstonePlugin } from '@touchstone/sdk/adk'
import { afterEach, describe, expect, it } from 'vitest'
import { guardWorld } from '#harness/guarded.ts'
import { type DeskOptions, itKeepsTheContract, newDesk, type Progress } from './adapter-contract.ts'

const w = guardWorld()

const CONFIRMATION = 'adk_request_confirmation'
const BASE_URL = 'GOOGLE_GEMINI_BASE_URL'

afterEach(() => {
  delete process.env[BASE_URL]
})

type Variant = {
  streamingMode?: StreamingMode
  /** Resumes with a new runner, as another process would. */
  isRestarted?: boolean
  /** Each tool asks for a confirmation, whatever the policy says. */
  requireConfirmation?: boolean
  /** The agent with the tools is a subagent. */
  isHandedOver?: boolean
  /** A callback of the agent answers in place of the tools. */
  isAnsweredBefore?: boolean
}

function runDesk(options: DeskOptions, variant: Variant = {}): Promise<Progress> {
  process.env[BASE_URL] = options.modelUrl
  const sessionService = new InMemorySessionService()
  const session = { appName: 'desk', userId: 'me', sessionId: 'session 1' }
  let runner = newRunner(options, sessionService, variant)
  const send = async (parts: object[]): Promise<Progress> => {
    const run = runner.runAsync({
      ...session,
      newMessage: { role: 'user', parts },
      runConfig: { streamingMode: variant.streamingMode ?? StreamingMode.NONE },
    })
    const events: Event[] = []
    for await (const event of run) events.push(event)
    const said = events
      .filter(({ partial }) => !partial)
      .flatMap(({ content }) => content?.parts ?? [])
    const text = said.findLast((part) => part.text !== undefined)?.text ?? ''
    const request = said.find(({ functionCall }) => functionCall?.name === CONFIRMATION)
    if (request?.functionCall === undefined) return { text }
    const { id, name, args: shown } = request.functionCall
    const answer = (confirmed: boolean) => {
      if (variant.isRestarted) runner = newRunner(options, sessionService, variant)
      return send([{ functionResponse: { id, name, response: { confirmed } } }])
    }
    return { text, pause: { shown, answer } }
  }
  return sessionService.createSession(session).then(() => send([{ text: 'Go' }]))
}

function newRunner(
  { guard, tools }: DeskOptions,
  sessionService: InMemorySessionService,
  { requireConfirmation = false, isHandedOver = false, isAnsweredBefore = false }: Variant,
) {
  const model = new Gemini({ model: 'gemini-script', apiKey: 'none' })
  const desk = new LlmAgent({
    name: 'desk',
    model,
    ...(isAnsweredBefore && { beforeToolCallback: () => ({ ok: 'cached' }) }),
    tools: tools.map(
      ({ name, run }) =>
        new FunctionTool({ name, description: name, execute: run, requireConfirmation }),
    ),
  })
  const agent = isHandedOver ? new LlmAgent({ name: 'front', model, subAgents: [desk] }) : desk
  const plugins = [touchstonePlugin({ guard })]
  return new Runner({ appName: 'desk', agent, sessionService, plugins })
}

it('does not report a tool that asks for a confirmation of its own as executed', async () => {
  const desk = await newDesk(w)
  const call = { tool: 'shop_search', input: {}, id: 'call_1' }
  desk.provider.plan({ parts: [call] }, { parts: [{ text: 'Done.' }] })
  const { pause } = await runDesk(desk.options, { requireConfirmation: true })
  expect(desk.made).toEqual([])
  expect(await desk.decisions()).toEqual(['allow shop_search not_executed'])
  expect(await pause?.answer(true)).toEqual({ text: 'Done.' })
  expect(desk.made).toEqual(['shop_search {}'])
  expect((await desk.decisions()).at(-1)).toBe('allow shop_search executed')
})

it('does not report a call as executed that a callback of the agent answers', async () => {
  const desk = await newDesk(w)
  const call = { tool: 'shop_search', input: {}, id: 'call_1' }
  desk.provider.plan({ parts: [call] }, { parts: [{ text: 'Done.' }] })
  expect(await runDesk(desk.options, { isAnsweredBefore: true })).toEqual({ text: 'Done.' })
  expect(desk.made).toEqual([])
  expect(await desk.decisions()).toEqual(['allow shop_search not_executed'])
})

it('decides the calls of an agent to which another one hands over, and resumes there', async () => {
  const desk = await newDesk(w)
  await desk.allow('transfer_to_agent')
  desk.provider.plan(
    { parts: [{ tool: 'transfer_to_agent', input: { agentName: 'desk' }, id: 'call_1' }] },
    { parts: [{ tool: 'shop_refund', input: {}, id: 'call_2' }] },
    { parts: [{ text: 'Done.' }] },
  )
  const { pause } = await runDesk(desk.options, { isHandedOver: true })
  await desk.approve()
  expect(await pause?.answer(true)).toEqual({ text: 'Done.' })
  expect(desk.made).toEqual(['shop_refund {}'])
  expect(await desk.decisions()).toEqual([
    'allow transfer_to_agent executed',
    'escalate shop_refund not_executed',
    'allow shop_refund executed',
  ])
})

/** ADK 2.0 drops them, also for confirmations that a tool asks for. */
const LIMITS = { losesOtherResults: true }

describe('ADK', () => itKeepsTheContract(w, (options) => runDesk(options), LIMITS))

describe('ADK with a streaming model', () =>
  itKeepsTheContract(w, (options) => runDesk(options, { streamingMode: StreamingMode.SSE })))

describe('ADK whose session is resumed by another process', () =>
  itKeepsTheContract(w, (options) => runDesk(options, { isRestarted: true }), LIMITS))
