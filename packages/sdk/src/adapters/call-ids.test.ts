import { describe, expect, it } from 'vitest'
import type { Admission, Guard } from '../guard/guard.ts'
import { GuardRefusal } from '../guard/guard-refusal.ts'
import type { ToolCall, Verdict } from '../guard/tool-call.ts'
import { guardClaudeAgent } from './claude-agent.ts'
import { guardAgents } from './openai-agents.ts'

const ID = 'call_same'
const PERMISSION = { signal: new AbortController().signal, toolUseID: ID }

/** Allows `search`, blocks `shell` and escalates `refund`, which the user of the framework can approve. */
const admit: Guard['admit'] = async ({ tool }: ToolCall): Promise<Admission> => {
  const decision = tool === 'search' ? 'allow' : tool === 'shell' ? 'block' : 'escalate'
  const isHeld = decision === 'escalate'
  const verdict: Verdict = {
    decision,
    source: 'service',
    reasons: [],
    decisionId: 'dec-1',
    escalationId: isHeld ? 'esc-1' : null,
    notices: [],
  }
  const refusal = decision === 'allow' ? undefined : new GuardRefusal('blocked', tool, verdict)
  const escalation = isHeld
    ? { escalationId: 'esc-1', approveUrl: undefined, local: true }
    : undefined
  return { verdict, refusal, escalation, cause: undefined, end: () => undefined }
}
const guard = { admit } as Guard

describe('two calls that the model gives one id', () => {
  it('are admitted one by one by the OpenAI Agents adapter', async () => {
    const ran: string[] = []
    const agents = guardAgents({ guard })
    const run = { context: undefined, isToolApproved: () => undefined }
    const toolOf = (name: string) =>
      agents.tool({
        name,
        needsApproval: async (..._: unknown[]) => false,
        execute: () => void ran.push(name),
      })
    const [shell, search] = [toolOf('shell'), toolOf('search')]
    await shell.needsApproval(run, {}, ID)
    await search.needsApproval(run, {}, ID)
    const details = { toolCall: { callId: ID } }
    await Reflect.apply(shell.execute, shell, [{}, run, details])
    await Reflect.apply(search.execute, search, [{}, run, details])
    expect(ran).toEqual(['search'])
  })

  it('are approved one by one by the OpenAI Agents adapter', async () => {
    const ran: number[] = []
    const agents = guardAgents({ guard })
    const run = { context: undefined, isToolApproved: () => true }
    const refund = agents.tool({
      name: 'refund',
      execute: ({ order }: { order: number }) => void ran.push(order),
    })
    for (const order of [7, 999]) {
      await Reflect.apply(refund.execute, refund, [{ order }, run, { toolCall: { callId: ID } }])
    }
    expect(ran).toEqual([7])
  })

  it('are approved one by one by the Claude Agent adapter', async () => {
    const { hooks, canUseTool } = guardClaudeAgent({
      guard,
      ask: async ({ arguments: { order } }) => order === 7,
      canUseTool: async () => ({ behavior: 'allow' }),
    })
    const [pre] = hooks.PreToolUse.flatMap((matcher) => matcher.hooks)
    const inputOf = (order: number) => ({
      hook_event_name: 'PreToolUse',
      session_id: 's1',
      tool_name: 'refund',
      tool_input: { order },
      tool_use_id: ID,
    })
    for (const order of [999, 7]) await pre?.(inputOf(order), ID, {})
    expect(await canUseTool('refund', { order: 999 }, PERMISSION)).toMatchObject({
      behavior: 'deny',
    })
    expect(await canUseTool('refund', { order: 7 }, PERMISSION)).toMatchObject({
      behavior: 'allow',
    })
  })

  it('does not leave a changed call that waits for a person to the own canUseTool', async () => {
    const { hooks, canUseTool } = guardClaudeAgent({
      guard,
      ask: async () => true,
      canUseTool: async () => ({ behavior: 'allow' }),
    })
    const [pre] = hooks.PreToolUse.flatMap((matcher) => matcher.hooks)
    const tool_input = { order: 7 }
    const input = { hook_event_name: 'PreToolUse', session_id: 's1', tool_name: 'refund' }
    await pre?.({ ...input, tool_input, tool_use_id: ID }, ID, {})
    expect(await canUseTool('refund', { order: 999 }, PERMISSION)).toMatchObject({
      behavior: 'deny',
    })
  })
})
