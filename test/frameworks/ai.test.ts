import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { guardTools, recordThinking } from '@touchstone/sdk/ai'
import * as ai7 from 'ai'
import * as ai6 from 'ai6'
import { createOpenAICompatible as createForAi6 } from 'ai6-openai-compatible'
import { describe } from 'vitest'
import { guardWorld } from '#harness/guarded.ts'
import { type DeskOptions, itKeepsTheContract, type Progress } from './adapter-contract.ts'

const w = guardWorld()

const SETTINGS = { name: 'desk', apiKey: 'none' }
const MODEL = 'script'

/** A conversation with the AI SDK: what to send to the model, and what became of it. */
type Turn<M> = { messages: M[]; text: string; content: readonly { type: string }[] }

/** Both versions have the same forms of approvals. */
async function converse<M>(
  messages: M[],
  send: (messages: M[]) => Promise<Turn<M>>,
): Promise<Progress> {
  const turn = await send(messages)
  const request = turn.content.find(({ type }) => type === 'tool-approval-request')
  if (request === undefined) return { text: turn.text }
  const { approvalId } = request as { type: string; approvalId: string }
  const answer = (approved: boolean) => {
    const response = { type: 'tool-approval-response', approvalId, approved }
    const message = { role: 'tool', content: [response] } as M
    return converse([...messages, ...turn.messages, message], send)
  }
  return { text: turn.text, pause: { shown: request, answer } }
}

function runWithAi6({ guard, tools, modelUrl }: DeskOptions, isStreamed: boolean) {
  const { middleware, thinkingOf } = recordThinking()
  const provider = createForAi6({ ...SETTINGS, baseURL: modelUrl })
  const set = Object.fromEntries(
    tools.map(({ name, run }) => [
      name,
      ai6.tool({ inputSchema: ai6.jsonSchema({ type: 'object' }), execute: (input) => run(input) }),
    ]),
  )
  const settings = {
    model: ai6.wrapLanguageModel({ model: provider(MODEL), middleware }),
    tools: guardTools(guard, set, { thinkingOf }),
    stopWhen: ai6.stepCountIs(10),
  }
  const first: ai6.ModelMessage[] = [{ role: 'user', content: 'Go' }]
  return converse(first, async (messages) => {
    if (isStreamed) {
      const run = ai6.streamText({ ...settings, messages })
      const [text, content, response] = await Promise.all([run.text, run.content, run.response])
      return { text, content, messages: response.messages }
    }
    const { text, content, response } = await ai6.generateText({ ...settings, messages })
    return { text, content, messages: response.messages }
  })
}

function runWithAi7({ guard, tools, modelUrl }: DeskOptions, isStreamed: boolean) {
  const { middleware, thinkingOf } = recordThinking()
  const provider = createOpenAICompatible({ ...SETTINGS, baseURL: modelUrl })
  const set = Object.fromEntries(
    tools.map(({ name, run }) => [
      name,
      ai7.tool({ inputSchema: ai7.jsonSchema({ type: 'object' }), execute: (input) => run(input) }),
    ]),
  )
  const settings = {
    model: ai7.wrapLanguageModel({ model: provider(MODEL), middleware }),
    tools: guardTools(guard, set, { thinkingOf }),
    stopWhen: ai7.stepCountIs(10),
  }
  const first: ai7.ModelMessage[] = [{ role: 'user', content: 'Go' }]
  return converse(first, async (messages) => {
    if (isStreamed) {
      const run = ai7.streamText({ ...settings, messages })
      const parts = [run.text, run.content, run.responseMessages] as const
      const [text, content, said] = await Promise.all(parts)
      return { text, content, messages: said }
    }
    const { text, content, responseMessages } = await ai7.generateText({ ...settings, messages })
    return { text, content, messages: responseMessages }
  })
}

describe('AI SDK 6', () => {
  describe('generateText', () => itKeepsTheContract(w, (options) => runWithAi6(options, false)))
  describe('streamText', () => itKeepsTheContract(w, (options) => runWithAi6(options, true)))
})

describe('AI SDK 7', () => {
  describe('generateText', () => itKeepsTheContract(w, (options) => runWithAi7(options, false)))
  describe('streamText', () => itKeepsTheContract(w, (options) => runWithAi7(options, true)))
})
