import { Agent } from '@mastra/core/agent'
import { Mastra } from '@mastra/core/mastra'
import { InMemoryStore } from '@mastra/core/storage'
import { createTool } from '@mastra/core/tools'
import { touchstone } from '@touchstone/sdk/mastra'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { guardWorld } from '#harness/guarded.ts'
import { type DeskOptions, itKeepsTheContract, newDesk, type Progress } from './adapter-contract.ts'

const w = guardWorld()

/** The policy cannot leave an approval to the user, because the model could give the answer. */
const NO_LOCAL = { hasLocalApproval: false }

function newAgent({ guard, tools, modelUrl }: DeskOptions) {
  const inputSchema = z.record(z.string(), z.unknown())
  const desk = new Agent({
    id: 'desk',
    name: 'Desk',
    instructions: 'Help.',
    model: { id: 'script/script', url: modelUrl, apiKey: 'none' },
    tools: Object.fromEntries(
      tools.map(({ name, run }) => [
        name,
        createTool({
          id: name,
          description: name,
          inputSchema,
          execute: async (input) => run(input),
        }),
      ]),
    ),
    ...touchstone({ guard }),
  })
  return hosted(desk)
}

function hosted(desk: Agent) {
  // Suspended runs are kept in the storage.
  const mastra = new Mastra({ agents: { desk }, storage: new InMemoryStore(), logger: false })
  return mastra.getAgent('desk')
}

async function generate(options: DeskOptions): Promise<Progress> {
  const agent = newAgent(options)
  const progress = (result: Awaited<ReturnType<typeof agent.generate>>): Progress => {
    const { runId = '', suspendPayload: shown } = result
    if (result.finishReason !== 'suspended') return { text: result.steps.at(-1)?.text ?? '' }
    const answer = async (approved: boolean) => {
      const { toolCallId } = Object(shown)
      return progress(await agent.resumeGenerate({ approved }, { runId, toolCallId }))
    }
    return { text: '', pause: { shown, answer } }
  }
  return progress(await agent.generate('Go', { maxSteps: 10 }))
}

async function stream(options: DeskOptions): Promise<Progress> {
  const agent = newAgent(options)
  const progress = async (run: Awaited<ReturnType<typeof agent.stream>>): Promise<Progress> => {
    const { runId } = run
    let pause: Progress['pause']
    for await (const chunk of run.fullStream) {
      if (chunk.type !== 'tool-call-suspended') continue
      const { toolCallId, suspendPayload: shown } = chunk.payload
      const answer = async (isApproved: boolean) => {
        const call = { runId, toolCallId }
        return progress(
          await (isApproved ? agent.approveToolCall(call) : agent.declineToolCall(call)),
        )
      }
      pause = { shown, answer }
    }
    return pause ? { text: '', pause } : { text: await run.text }
  }
  return progress(await agent.stream('Go', { maxSteps: 10 }))
}

/** A tool that asks for a city before it does anything. */
function newCityAgent({ guard, modelUrl }: DeskOptions, name: string) {
  const city = z.object({ city: z.string() })
  const askCity = createTool({
    id: name,
    description: name,
    inputSchema: z.record(z.string(), z.unknown()),
    suspendSchema: z.object({ question: z.string() }),
    resumeSchema: city,
    execute: async (_input, context) =>
      context.agent?.resumeData ?? context.agent?.suspend({ question: 'Where?' }),
  })
  const desk = new Agent({
    id: 'desk',
    name: 'Desk',
    instructions: 'Help.',
    model: { id: 'script/script', url: modelUrl, apiKey: 'none' },
    tools: { [name]: askCity },
    ...touchstone({ guard }),
  })
  return hosted(desk)
}

describe('Mastra', () => {
  it('does not report a tool that suspends the run as executed', async () => {
    const desk = await newDesk(w)
    const call = { tool: 'shop_search', input: {}, id: 'call_1' }
    desk.provider.plan({ parts: [call] }, { parts: [{ text: 'Done.' }] })
    const agent = newCityAgent(desk.options, 'shop_search')
    const { runId = '' } = await agent.generate('Go')
    expect(await desk.decisions()).toEqual(['allow shop_search not_executed'])
    const { text } = await agent.resumeGenerate({ city: 'Bern' }, { runId, toolCallId: 'call_1' })
    expect(text).toBe('Done.')
    expect(desk.told()).toContain('Bern')
    expect((await desk.decisions()).at(-1)).toBe('allow shop_search executed')
  })

  it('does not show the answer to an approval to a tool that expects another', async () => {
    const desk = await newDesk(w)
    const call = { tool: 'shop_refund', input: {}, id: 'call_1' }
    desk.provider.plan({ parts: [call] }, { parts: [{ text: 'Done.' }] })
    const agent = newCityAgent(desk.options, 'shop_refund')
    const { runId = '' } = await agent.generate('Go')
    await desk.approve()
    const resumed = await agent.resumeGenerate({ approved: true }, { runId, toolCallId: 'call_1' })
    expect(Object(resumed.suspendPayload).suspendPayload).toEqual({ question: 'Where?' })
  })

  describe('generate', () => itKeepsTheContract(w, generate, NO_LOCAL))
  describe('stream', () => itKeepsTheContract(w, stream, NO_LOCAL))
})
