import { ToolMessage } from '@langchain/core/messages'
import { type AgentMiddleware, createMiddleware } from 'langchain'
import { endGraphCall, endThrownCall, refusedCall } from './langgraph.ts'
import { admitInGraph, type LangGraphGuardOptions, toolCallOf } from './langgraph-calls.ts'

/**
 * Guards the tools of an agent of `createAgent`. A refused call becomes a tool message with the status
 * `error`; an escalated call interrupts the run, if it has a checkpointer.
 */
export function touchstoneMiddleware(options: LangGraphGuardOptions): AgentMiddleware {
  return createMiddleware({
    name: 'Touchstone',
    async wrapToolCall(request, handler) {
      const { toolCall, state, runtime } = request
      const message = state.messages.findLast((one) => 'tool_calls' in one)
      const call = toolCallOf(options, toolCall, { message, run: runtime })
      const [admitted] = await admitInGraph(options.guard, [{ call, callId: toolCall.id }])
      if (admitted === undefined) throw new Error('There is no decision.')
      const { admission } = admitted
      if (admission.refusal !== undefined) return refusedCall(toolCall, admission.refusal)
      try {
        const result = await handler(request)
        endGraphCall(admission, ToolMessage.isInstance(result) ? result : undefined)
        return result
      } catch (error) {
        endThrownCall(admission, error)
        throw error
      }
    },
  })
}
