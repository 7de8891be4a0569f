export { anthropicWire } from './anthropic.ts'
export { geminiWire } from './gemini.ts'
export { openaiChatWire } from './openai-chat.ts'
export { openaiResponsesWire } from './openai-responses.ts'
export {
  type AnswerFormat,
  type AnswerStream,
  ARGUMENT_BYTES_MAX,
  blockedText,
  type CallArguments,
  type CallKind,
  type DeclaredTool,
  type MadeAnswer,
  type RefusalTurn,
  type RefusedOutput,
  type RequestReading,
  type RequestTarget,
  type SessionField,
  type StreamFault,
  type StreamFormat,
  type StreamOptions,
  type StreamStep,
  type TokenUsage,
  type ToolCall,
  type ToolResult,
  type TurnEnd,
  type TurnSummary,
  type Verdict,
  type WholeAnswer,
  type WireFormat,
  type WireName,
} from './wire-format.ts'
