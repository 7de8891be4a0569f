// The parts of LangChain that the adapters use, so that the SDK compiles without it. The tests of the
// frameworks compile the adapters with its own types.

declare module '@langchain/langgraph' {
  export function interrupt(value: unknown): unknown
  export function isGraphInterrupt(error: unknown): boolean
}

declare module '@langchain/core/messages' {
  export class ToolMessage {
    constructor(fields: {
      content: string
      tool_call_id: string
      name?: string
      status?: 'success' | 'error'
    })
    readonly content: unknown
    readonly tool_call_id: string
    status?: 'success' | 'error'
    static isInstance(message: unknown): message is ToolMessage
  }
}

declare module 'langchain' {
  import type { ToolMessage } from '@langchain/core/messages'

  export type AgentMiddleware = { name: string }
  type ToolCallRequest = {
    toolCall: { id?: string; name: string; args: Record<string, unknown> }
    state: { messages: readonly object[] }
    runtime: { configurable?: Record<string, unknown>; signal?: AbortSignal }
  }
  export function createMiddleware(config: {
    name: string
    wrapToolCall(
      request: ToolCallRequest,
      handler: (request: ToolCallRequest) => Promise<ToolMessage> | ToolMessage,
    ): Promise<ToolMessage>
  }): AgentMiddleware
}
