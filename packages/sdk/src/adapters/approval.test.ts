import { describe, expect, it } from 'vitest'
import type { Admission, Guard } from '../guard/guard.ts'
import { GuardRefusal } from '../guard/guard-refusal.ts'
import type { ToolCall, Verdict } from '../guard/tool-call.ts'
import { guardTools } from './ai.ts'
import { guardClaudeAgent } from './claude-agent.ts'
import { guardAgents } from './openai-agents.ts'

/** Decides as told, call by call; the framework's user can approve what is escalated. */
function scriptedGuard(decisions: Verdict['decision'][]) {
  const ended: [number, string][] = []
  const asked: ToolCall[] = []
  const admit: Guard['admit'] = async (call) => {
    const place = asked.push(call) - 1
    const decision = decisions[place] ?? 'block'
    const isHeld = decision === 'escalate'
    const escalationId = isHeld ? 'esc-1' : null
    const verdict: Verdict = {
      decision,
      source: 'service',
      reasons: [],
      decisionId: `dec-${place}`,
      escalationId,
      notices: [],
    }
    const admission: Admission = {
      verdict,
      refusal: decision === 'allow' ? undefined : new GuardRefusal('blocked', call.tool, verdict),
      escalation: isHeld
        ? { escalationId: 'esc-1', approveUrl: undefined, local: true }
        : undefined,
      cause: undefined,
      end: (outcome) => void ended.push([place, outcome]),
    }
    return admission
  }
  return { guard: { admit } as Guard, ended, asked }
}

const ORDER = { order: 7 }
const { signal } = new AbortController()

describe('an approval in the Claude Agent SDK', () => {
  async function asking(
    decisions: Verdict['decision'][],
    ask: () => Promise<boolean>,
    { id = 'call_1', tool = 'refund' } = {},
  ) {
    const { guard, ended } = scriptedGuard(decisions)
    const { hooks, canUseTool } = guardClaudeAgent({
      guard,
      ask,
      canUseTool: async () => ({ behavior: 'allow' }),
    })
    const [pre] = hooks.PreToolUse.flatMap((matcher) => matcher.hooks)
    const input = { hook_event_name: 'PreToolUse', session_id: 's1', tool_use_id: id }
    await pre?.({ ...input, tool_name: tool, tool_input: ORDER }, id, {})
    return { ended, permission: () => canUseTool(tool, ORDER, { signal, toolUseID: id }) }
  }

  it('does not outlive the containment of the agent while its user was asked', async () => {
    const { ended, permission } = await asking(['escalate', 'block'], async () => true)
    expect(await permission()).toMatchObject({ behavior: 'deny' })
    expect(ended).toEqual([[0, 'refused']])
  })

  it('lets the call through that is decided again', async () => {
    const { ended, permission } = await asking(['escalate', 'escalate'], async () => true)
    expect(await permission()).toMatchObject({ behavior: 'allow' })
    expect(ended).toEqual([[0, 'refused']])
    const allowed = await asking(['escalate', 'allow'], async () => true)
    expect(await allowed.permission()).toMatchObject({ behavior: 'allow' })
  })

  it.each([
    ['a long id', { id: `call_${'x'.repeat(500)}` }],
    ['an id that is no ASCII', { id: 'Aufruf für Erstattung' }],
    ['a name with white space', { tool: 'shop refund' }],
  ])('is needed for a call with %s', async (_, named) => {
    const refused = await asking(['escalate'], async () => false, named)
    expect(await refused.permission()).toMatchObject({ behavior: 'deny' })
    const approved = await asking(['escalate', 'escalate'], async () => true, named)
    expect(await approved.permission()).toMatchObject({ behavior: 'allow' })
  })

  it('of an input that the own canUseTool changes is a decision about the changed input', async () => {
    for (const [decision, behavior] of [
      ['allow', 'allow'],
      ['block', 'deny'],
    ] as const) {
      const { guard, ended, asked } = scriptedGuard(['allow', decision])
      const updatedInput = { order: 999 }
      const { hooks, canUseTool } = guardClaudeAgent({
        guard,
        canUseTool: async () => ({ behavior: 'allow', updatedInput }),
      })
      const [pre] = hooks.PreToolUse.flatMap((matcher) => matcher.hooks)
      const input = { hook_event_name: 'PreToolUse', session_id: 's1', tool_use_id: 'call_1' }
      await pre?.({ ...input, tool_name: 'refund', tool_input: ORDER }, 'call_1', {})
      const permission = await canUseTool('refund', ORDER, { signal, toolUseID: 'call_1' })
      expect(permission).toMatchObject({ behavior })
      expect(asked[1]).toMatchObject({ arguments: updatedInput, sessionId: 's1' })
      expect(ended).toEqual([[0, 'refused']])
    }
  })

  it('is refused on record if asking fails', async () => {
    const { ended, permission } = await asking(['escalate'], () =>
      Promise.reject(new Error('gone')),
    )
    await expect(permission()).rejects.toThrow('gone')
    expect(ended).toEqual([[0, 'refused']])
  })
})

describe('an approval in the OpenAI Agents SDK', () => {
  it('is for neither of two calls that have one id', async () => {
    const ran: unknown[] = []
    const { guard } = scriptedGuard(Array(9).fill('escalate'))
    const agents = guardAgents({ guard })
    const refund = agents.tool({
      name: 'refund',
      needsApproval: async (..._: unknown[]) => false,
      execute: (input: object) => void ran.push(input),
    })
    const waiting = { context: undefined, isToolApproved: () => undefined }
    for (const order of [999, 7]) {
      expect(await refund.needsApproval(waiting, { order }, 'call_1')).toBe(true)
    }
    const interruption = { rawItem: { name: 'refund', callId: 'call_1' } }
    expect(agents.requestOf(interruption)).toBe(undefined)
    const approved = { context: undefined, isToolApproved: () => true }
    for (const order of [999, 7]) {
      const details = { toolCall: { callId: 'call_1' } }
      await Reflect.apply(refund.execute, refund, [{ order }, approved, details])
    }
    expect(ran).toEqual([])
  })

  it('is for a call that is asked about twice', async () => {
    const ran: unknown[] = []
    const { guard } = scriptedGuard(Array(9).fill('escalate'))
    const agents = guardAgents({ guard })
    const refund = agents.tool({
      name: 'refund',
      needsApproval: async (..._: unknown[]) => false,
      execute: (input: object) => void ran.push(input),
    })
    const waiting = { context: undefined, isToolApproved: () => undefined }
    for (const _ of [1, 2]) await refund.needsApproval(waiting, ORDER, 'call_1')
    const interruption = { rawItem: { name: 'refund', callId: 'call_1' } }
    expect(agents.requestOf(interruption)).toMatchObject({ arguments: ORDER })
    const approved = { context: undefined, isToolApproved: () => true }
    const details = { toolCall: { callId: 'call_1' } }
    await Reflect.apply(refund.execute, refund, [ORDER, approved, details])
    expect(ran).toEqual([ORDER])
  })

  it('ends the decision of its own session, if two have equal calls with one id', async () => {
    const { guard, ended } = scriptedGuard(['allow', 'allow'])
    const sessionOf = (context: unknown) => String(context)
    const agents = guardAgents({ guard, sessionOf })
    const search = agents.tool({
      name: 'search',
      needsApproval: async (..._: unknown[]) => false,
      execute: () => 'found',
    })
    const runs = ['a', 'b'].map((context) => ({ context, isToolApproved: () => undefined }))
    for (const run of runs) await search.needsApproval(run, ORDER, 'call_1')
    for (const run of runs) {
      const details = { toolCall: { callId: 'call_1' } }
      expect(await Reflect.apply(search.execute, search, [ORDER, run, details])).toBe('found')
    }
    expect(ended).toEqual([
      [0, 'succeeded'],
      [1, 'succeeded'],
    ])
  })
})

describe('an admission in the AI SDK', () => {
  it('is not for an input that was changed before the call', async () => {
    const { guard, asked, ended } = scriptedGuard(['allow', 'block'])
    const { refund } = guardTools(guard, { refund: { execute: () => 'refunded' } })
    const input = { order: 7, items: [1] }
    const context = { toolCallId: 'call_1', messages: [] }
    await Reflect.apply(Object(refund).needsApproval, refund, [input, context])
    input.items.push(999)
    const made = Promise.resolve(Reflect.apply(refund.execute, refund, [input, context]))
    await expect(made).rejects.toBeInstanceOf(GuardRefusal)
    expect(asked[1]).toMatchObject({ arguments: { items: [1, 999] } })
    expect(ended).toEqual([[0, 'refused']])
  })
})
