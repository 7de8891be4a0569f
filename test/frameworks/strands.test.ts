import { Agent, type AgentResult, InterruptResponseContent, tool } from '@strands-agents/sdk'
import { AnthropicModel } from '@strands-agents/sdk/models/anthropic'
import { touchstonePlugin } from '@touchstone/sdk/strands'
import { describe } from 'vitest'
import { guardWorld } from '#harness/guarded.ts'
import { type DeskOptions, itKeepsTheContract, type Progress } from './adapter-contract.ts'

const w = guardWorld()

async function runDesk({ guard, tools, modelUrl }: DeskOptions): Promise<Progress> {
  const agent = new Agent({
    model: new AnthropicModel({
      modelId: 'script',
      maxTokens: 1000,
      apiKey: 'none',
      clientConfig: { baseURL: modelUrl },
    }),
    tools: tools.map(({ name, run }) =>
      tool({
        name,
        description: name,
        inputSchema: { type: 'object', properties: {} },
        callback: (input) => run(input),
      }),
    ),
    plugins: [touchstonePlugin({ guard })],
    printer: false,
  })
  const progress = (result: AgentResult): Progress => {
    const [interrupt] = result.interrupts ?? []
    if (interrupt === undefined) return { text: String(result).trim() }
    const answer = async (response: boolean) => {
      const interruptResponse = { interruptId: interrupt.id, response }
      return progress(await agent.invoke([new InterruptResponseContent(interruptResponse)]))
    }
    return { text: '', pause: { shown: interrupt.reason, answer } }
  }
  return progress(await agent.invoke('Go'))
}

describe('Strands', () => itKeepsTheContract(w, runDesk))
