import type { TokenUsage, TurnEnd, TurnSummary } from './wire-format.ts'

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
  let isThinkingWithheld = false
  let reasoningTokens = 0
  const serverTools: { name: string; callId: string | undefined }[] = []
  let usage: TokenUsage | undefined
  let model: string | undefined
  let answerId: string | undefined
  let end: TurnEnd = { kind: 'open' }

  return {
    addThinking(block, text, kind) {
      if (text === '') return
      thinking.set(block, (thinking.get(block) ?? '') + text)
      // Text of the model itself is better evidence than a summary of it.
      if (thinkingKind !== 'native') thinkingKind = kind
    },
    addText(block, text) {
      if (text !== '') output.set(block, (output.get(block) ?? '') + text)
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
      serverTools: [...serverTools],
      usage,
      end,
    }),
  }
}
