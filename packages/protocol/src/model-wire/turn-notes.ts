import type { TokenUsage, TurnEnd, TurnSummary } from './wire-format.ts'

/** Characters of thinking, and of output, that are kept: far more than a model writes in a turn. */
const TEXT_LENGTH_MAX = 8 * 1024 * 1024

type Reasoning = 'native' | 'reasoning_summary'

/** A turn without its calls. */
export type TurnNotes = {
  /** Blocks are joined by a line feed in the order of their first text. */
  addThinking(block: string, text: string, kind: Reasoning): void
  addText(block: string, text: string): void
  withholdThinking(): void
  /** Tokens of reasoning; without any text of it, it was withheld. */
  countReasoning(tokens: number): void
  addServerTool(name: string, callId: string | undefined): void
  addUsage(usage: Partial<TokenUsage>): void
  setIdentity(model: unknown, answerId: unknown): void
  /** An error is final. */
  setEnd(end: TurnEnd): void
  hasFailed(): boolean
  describe(): Omit<TurnSummary, 'calls'>
}

export function createTurnNotes(): TurnNotes {
  const thinking = new Map<string, string>()
  const output = new Map<string, string>()
  let thinkingKind: TurnSummary['thinkingKind'] = 'none'
  const room = { thinking: TEXT_LENGTH_MAX, output: TEXT_LENGTH_MAX }
  let isThinkingWithheld = false
  let reasoningTokens = 0
  const serverTools: { name: string; callId: string | undefined }[] = []
  let usage: TokenUsage | undefined
  let model: string | undefined
  let answerId: string | undefined
  let end: TurnEnd = { kind: 'open' }

  function fit(kind: 'thinking' | 'output', text: string): string {
    const part = text.slice(0, Math.max(0, room[kind]))
    room[kind] -= text.length
    return part
  }

  return {
    addThinking(block, text, kind) {
      if (text === '') return
      thinking.set(block, (thinking.get(block) ?? '') + fit('thinking', text))
      // Text of the model itself is better evidence than a summary of it.
      if (thinkingKind !== 'native') thinkingKind = kind
    },
    addText(block, text) {
      if (text !== '') output.set(block, (output.get(block) ?? '') + fit('output', text))
    },
    withholdThinking() {
      isThinkingWithheld = true
    },
    countReasoning(tokens) {
      reasoningTokens = tokens
    },
    addServerTool(name, callId) {
      serverTools.push({ name, callId })
    },
    addUsage(update) {
      usage = { inputTokens: 0, cachedTokens: 0, outputTokens: 0, ...usage, ...update }
    },
    setIdentity(nextModel, nextId) {
      if (typeof nextModel === 'string' && nextModel !== '') model = nextModel
      if (typeof nextId === 'string' && nextId !== '') answerId = nextId
    },
    setEnd(next) {
      if (end.kind !== 'failed') end = next
    },
    hasFailed: () => end.kind === 'failed',
    describe: () => ({
      model,
      answerId,
      thinking: [...thinking.values()].join('\n'),
      thinkingKind,
      isThinkingWithheld: isThinkingWithheld || (reasoningTokens > 0 && thinking.size === 0),
      outputText: [...output.values()].join('\n'),
      isTextCut: room.thinking < 0 || room.output < 0,
      serverTools: [...serverTools],
      usage,
      end,
    }),
  }
}
