import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { HOOK_CLIENTS, type HookClient } from './clients.ts'
import type { HookDecision, HookFailure } from './hook-event.ts'
import { DIALECTS } from './index.ts'

const ALLOW: HookDecision = {
  decision: 'allow',
  reasons: [],
  notices: [],
  enforced: true,
  approve_url: undefined,
  local: false,
}
const BLOCK: HookDecision = { ...ALLOW, decision: 'block', reasons: ['Shells are forbidden'] }
const ESCALATE: HookDecision = {
  ...ALLOW,
  decision: 'escalate',
  reasons: ['Ask first'],
  approve_url: 'https://ts.example/approvals/esc-1',
}
const LOCAL: HookDecision = { ...ESCALATE, local: true }
const DOWN: HookFailure = {
  decision: 'none',
  message: 'the service is unreachable',
  on_error: 'block',
}

const ARGUMENTS = { command: 'ls' }
const CLAUDE = { session_id: 's1', transcript_path: '/t.jsonl', cwd: '/w' }
const CLAUDE_CALL = { tool_name: 'Bash', tool_input: ARGUMENTS, tool_use_id: 'call-1' }
const CURSOR = { conversation_id: 's1', generation_id: 'g', transcript_path: null }
const GEMINI = { session_id: 's1', transcript_path: '/t.jsonl', cwd: '/w', timestamp: 'now' }
const COPILOT = { sessionId: 's1', timestamp: 1, cwd: '/w' }
const WINDSURF = { trajectory_id: 's1', execution_id: 'e', timestamp: 'now' }

/** Input as each client sends it: before a call, after it, after a failure, at the end of a turn. */
const SENT: Record<
  HookClient,
  { pre: object; post: object; failure?: object; stop: object; end?: object; callId: boolean }
> = {
  'claude-code': {
    pre: { ...CLAUDE, ...CLAUDE_CALL, hook_event_name: 'PreToolUse' },
    post: { ...CLAUDE, ...CLAUDE_CALL, hook_event_name: 'PostToolUse', tool_response: 'a' },
    failure: { ...CLAUDE, ...CLAUDE_CALL, hook_event_name: 'PostToolUseFailure', error: 'no' },
    stop: { ...CLAUDE, hook_event_name: 'Stop', stop_hook_active: false },
    end: { ...CLAUDE, hook_event_name: 'SessionEnd', reason: 'clear' },
    callId: true,
  },
  codex: {
    pre: { ...CLAUDE, ...CLAUDE_CALL, hook_event_name: 'PreToolUse', turn_id: 't', model: 'm' },
    post: { ...CLAUDE, ...CLAUDE_CALL, hook_event_name: 'PostToolUse', tool_response: 'a' },
    stop: { ...CLAUDE, hook_event_name: 'Stop', transcript_path: null, stop_hook_active: false },
    end: { ...CLAUDE, hook_event_name: 'SessionEnd', reason: 'exit' },
    callId: true,
  },
  cursor: {
    pre: {
      ...CURSOR,
      hook_event_name: 'preToolUse',
      tool_name: 'Shell',
      tool_input: ARGUMENTS,
      tool_use_id: 'call-1',
    },
    post: {
      ...CURSOR,
      hook_event_name: 'postToolUse',
      tool_name: 'Shell',
      tool_input: ARGUMENTS,
      tool_use_id: 'call-1',
      tool_output: 'a',
      duration: 3,
    },
    failure: {
      ...CURSOR,
      hook_event_name: 'postToolUseFailure',
      tool_name: 'Shell',
      tool_input: ARGUMENTS,
      tool_use_id: 'call-1',
      error_message: 'no',
    },
    stop: { ...CURSOR, hook_event_name: 'stop', status: 'completed' },
    end: { ...CURSOR, hook_event_name: 'sessionEnd' },
    callId: true,
  },
  'gemini-cli': {
    pre: {
      ...GEMINI,
      hook_event_name: 'BeforeTool',
      tool_name: 'run_shell_command',
      tool_input: ARGUMENTS,
    },
    post: {
      ...GEMINI,
      hook_event_name: 'AfterTool',
      tool_name: 'run_shell_command',
      tool_input: ARGUMENTS,
      tool_response: { llmContent: 'a', returnDisplay: 'a' },
    },
    failure: {
      ...GEMINI,
      hook_event_name: 'AfterTool',
      tool_name: 'run_shell_command',
      tool_input: ARGUMENTS,
      tool_response: { llmContent: 'a', error: { message: 'no' } },
    },
    stop: { ...GEMINI, hook_event_name: 'AfterAgent', prompt: 'p', prompt_response: 'r' },
    end: { ...GEMINI, hook_event_name: 'SessionEnd', reason: 'exit' },
    callId: false,
  },
  'copilot-cli': {
    pre: { ...COPILOT, toolName: 'bash', toolArgs: ARGUMENTS },
    post: {
      ...COPILOT,
      toolName: 'bash',
      toolArgs: ARGUMENTS,
      toolResult: { resultType: 'success', textResultForLlm: 'a' },
    },
    failure: { ...COPILOT, toolName: 'bash', toolArgs: ARGUMENTS, error: 'no' },
    stop: { ...COPILOT, transcriptPath: '/t', stopReason: 'end_turn', stop_hook_active: false },
    end: { ...COPILOT, reason: 'complete' },
    callId: false,
  },
  opencode: {
    pre: {
      hook: 'tool.execute.before',
      sessionID: 's1',
      tool: 'bash',
      callID: 'call-1',
      args: ARGUMENTS,
    },
    post: {
      hook: 'tool.execute.after',
      sessionID: 's1',
      tool: 'bash',
      callID: 'call-1',
      args: ARGUMENTS,
      output: 'a',
    },
    failure: {
      hook: 'tool.execute.error',
      sessionID: 's1',
      tool: 'bash',
      callID: 'call-1',
      args: ARGUMENTS,
      error: 'no',
    },
    stop: { hook: 'session.idle', sessionID: 's1' },
    end: { hook: 'session.deleted', sessionID: 's1' },
    callId: true,
  },
  windsurf: {
    pre: { ...WINDSURF, agent_action_name: 'pre_run_command', tool_info: { command_line: 'ls' } },
    post: { ...WINDSURF, agent_action_name: 'post_run_command', tool_info: { command_line: 'ls' } },
    stop: { ...WINDSURF, agent_action_name: 'post_cascade_response', tool_info: { response: 'r' } },
    callId: false,
  },
  vscode: {
    pre: {
      sessionId: 's1',
      hookEventName: 'PreToolUse',
      tool_name: 'run_in_terminal',
      tool_input: ARGUMENTS,
      tool_use_id: 'call-1',
    },
    post: {
      sessionId: 's1',
      hookEventName: 'PostToolUse',
      tool_name: 'run_in_terminal',
      tool_input: ARGUMENTS,
      tool_use_id: 'call-1',
      tool_response: 'a',
    },
    stop: { sessionId: 's1', hookEventName: 'Stop', stop_hook_active: false },
    callId: true,
  },
}

const jsonOf = (output: { stdout?: string }) => JSON.parse(output.stdout ?? 'null')

describe.each(HOOK_CLIENTS)('the dialect of %s', (client) => {
  const dialect = DIALECTS[client]
  const sent = SENT[client]
  const pre = dialect.read(sent.pre)

  it('reads a call before it is made, with the common name of its tool', () => {
    expect(pre).toMatchObject({
      event: 'pre_tool',
      session: 's1',
      tool: 'Bash',
      arguments: ARGUMENTS,
      call_id: sent.callId ? 'call-1' : undefined,
    })
  })

  it('reads the outcome of the same call', () => {
    const post = dialect.read(sent.post)
    expect(post).toMatchObject({
      event: 'post_tool',
      tool: 'Bash',
      arguments: ARGUMENTS,
      outcome: { status: 'executed' },
    })
    if (sent.failure === undefined) return
    expect(dialect.read(sent.failure)).toMatchObject({
      event: 'post_tool',
      tool: 'Bash',
      outcome: { status: 'failed', error: 'no' },
    })
  })

  it('reads the end of a turn and of a session', () => {
    expect(dialect.read(sent.stop)).toMatchObject({ event: 'stop', session: 's1' })
    if (sent.end !== undefined) {
      expect(dialect.read(sent.end)).toMatchObject({ event: 'session_end', session: 's1' })
    }
  })

  it.each([null, 1, 'text', [], {}, [sent.pre]])('does not read %j', (input) => {
    expect(dialect.read(input)).toBeUndefined()
  })

  it('prints no permission for an allowed call, except for Cursor, which demands one', () => {
    const output = dialect.answer(pre, ALLOW)
    expect(output.exit).toBeUndefined()
    expect(output.stdout ?? '').not.toMatch(/approve|"ask"|deny/)
    if (client === 'cursor') expect(jsonOf(output)).toEqual({ permission: 'allow' })
    else expect(output).toEqual({})
  })

  it('stops a forbidden call and says why', () => {
    const output = dialect.answer(pre, BLOCK)
    const said = `${output.stdout ?? ''}${output.stderr ?? ''}`
    expect(said).toContain('Refused by Touchstone: Shells are forbidden.')
    if (client === 'windsurf') expect(output.exit).toBe(2)
    else expect(said).toContain('deny')
  })

  it('denies an escalated call with the page to approve it, unless its user may answer', () => {
    for (const decision of [ESCALATE, { ...LOCAL, local: false }]) {
      const output = dialect.answer(pre, decision)
      expect(`${output.stdout}${output.stderr}`).toContain('https://ts.example/approvals/esc-1')
      expect(output.stdout ?? '').not.toContain('"ask"')
    }
    const asks = ['claude-code', 'gemini-cli', 'copilot-cli', 'vscode'].includes(client)
    const output = dialect.answer(pre, LOCAL)
    expect((output.stdout ?? '').includes('"ask"')).toBe(asks)
    expect(output.exit).toBe(client === 'windsurf' ? 2 : undefined)
  })

  it('never denies in mode observe', () => {
    for (const decision of [BLOCK, ESCALATE, LOCAL]) {
      const output = dialect.answer(pre, { ...decision, enforced: false })
      expect(output.exit).toBeUndefined()
      expect(output.stdout ?? '').not.toMatch(/"(deny|ask|block)"/)
      expect(`${output.stdout}${output.stderr}`).toContain('would have stopped')
    }
  })

  it('stops a call nobody decided about with exit code 2, and any input it cannot read', () => {
    for (const event of [pre, undefined]) {
      const output = dialect.answer(event, DOWN)
      expect(output).toMatchObject({
        exit: 2,
        stderr: expect.stringContaining('service is unreachable'),
      })
      if (client !== 'windsurf') expect(output.stdout).toContain('deny')
      const open = dialect.answer(event, { ...DOWN, on_error: 'allow' })
      expect(open.exit).toBeUndefined()
      expect(open.stdout ?? '').not.toContain('deny')
    }
  })

  it('answers no other event with a refusal', () => {
    for (const input of [sent.post, sent.stop]) {
      const event = dialect.read(input)
      for (const decision of [BLOCK, DOWN]) {
        const output = dialect.answer(event, decision)
        expect(output).toEqual(client === 'cursor' ? { stdout: '{}' } : {})
      }
    }
  })

  it('passes on a nudge without deciding anything', () => {
    const output = dialect.answer(pre, { ...ALLOW, notices: ['Stay with the task'] })
    expect(output.stdout).toContain('Stay with the task.')
    expect(output.stdout).not.toContain('permissionDecision')
  })
})

describe('names and arguments', () => {
  const read = (fields: object) =>
    DIALECTS['claude-code'].read({ ...CLAUDE, hook_event_name: 'PreToolUse', ...fields })

  it('makes an object of arguments that are none, so that rules and hashes cover them', () => {
    expect(read({ tool_name: 'X', tool_input: 'text' })).toMatchObject({
      arguments: { input: 'text' },
    })
    expect(read({ tool_name: 'X', tool_input: '{"a":1}' })).toMatchObject({ arguments: { a: 1 } })
    expect(read({ tool_name: 'X', tool_input: [1] })).toMatchObject({ arguments: { input: [1] } })
    expect(read({ tool_name: 'X' })).toMatchObject({ arguments: undefined })
  })

  it('keeps only names and ids that the API accepts', () => {
    const event = read({ tool_name: 'my tool', session_id: 'a b/c', tool_use_id: 'é' })
    expect(event).toMatchObject({ tool: 'my_tool', session: 'a-b-c', call_id: undefined })
    expect(read({ tool_name: ' ' })).toBeUndefined()
    expect(read({ tool_name: 'x'.repeat(999) })).toMatchObject({ tool: 'x'.repeat(256) })
  })

  it('names tools of MCP servers alike', () => {
    const gemini = DIALECTS['gemini-cli'].read({
      ...GEMINI,
      hook_event_name: 'BeforeTool',
      tool_name: 'send',
      mcp_context: { server_name: 'mail', tool_name: 'send' },
      tool_input: {},
    })
    const windsurf = DIALECTS.windsurf.read({
      ...WINDSURF,
      agent_action_name: 'pre_mcp_tool_use',
      tool_info: { mcp_server_name: 'mail', mcp_tool_name: 'send', mcp_tool_arguments: {} },
    })
    expect([gemini, windsurf]).toMatchObject([
      { tool: 'mcp__mail__send' },
      { tool: 'mcp__mail__send' },
    ])
  })

  it('is not misled by names of inherited members', () => {
    const event = DIALECTS.cursor.read({ ...CURSOR, hook_event_name: 'constructor' })
    expect(event).toMatchObject({ event: 'other' })
    const named = DIALECTS['gemini-cli'].read({
      ...GEMINI,
      hook_event_name: 'BeforeTool',
      tool_name: 'toString',
      tool_input: {},
    })
    expect(named).toMatchObject({ tool: 'toString' })
  })

  it('reads the thoughts of Cursor and the events of Copilot in both spellings', () => {
    expect(
      DIALECTS.cursor.read({ ...CURSOR, hook_event_name: 'afterAgentThought', text: 'Hm' }),
    ).toMatchObject({ event: 'thinking', thinking: 'Hm' })
    expect(
      DIALECTS['copilot-cli'].read({ ...CLAUDE, ...CLAUDE_CALL, hook_event_name: 'PreToolUse' }),
    ).toMatchObject({ event: 'pre_tool', tool: 'Bash' })
    expect(DIALECTS['copilot-cli'].read({ ...COPILOT, prompt: 'x' })).toMatchObject({
      event: 'other',
    })
  })
})

describe('Codex', () => {
  /** Its schema pre-tool-use.command.output, with the members that its parser refuses left out. */
  const isAccepted = new Ajv({ strict: true }).compile({
    type: 'object',
    additionalProperties: false,
    properties: {
      systemMessage: { type: 'string' },
      hookSpecificOutput: {
        type: 'object',
        additionalProperties: false,
        required: ['hookEventName'],
        properties: {
          hookEventName: { const: 'PreToolUse' },
          permissionDecision: { const: 'deny' },
          permissionDecisionReason: { type: 'string', minLength: 1 },
          additionalContext: { type: 'string' },
        },
        dependencies: {
          permissionDecision: ['permissionDecisionReason'],
          permissionDecisionReason: ['permissionDecision'],
        },
      },
    },
  })

  it('gets no member that would make its hook fail, and so let the call run', () => {
    const { codex } = DIALECTS
    const pre = codex.read(SENT.codex.pre)
    const decisions = [ALLOW, BLOCK, ESCALATE, LOCAL, { ...BLOCK, reasons: [] }, DOWN].flatMap(
      (decision) => [
        decision,
        decision.decision === 'none'
          ? { ...decision, on_error: 'allow' as const }
          : { ...decision, enforced: false, notices: ['Nudge'] },
      ],
    )
    for (const decision of decisions) {
      const { stdout = '{}' } = codex.answer(pre, decision)
      expect(isAccepted(JSON.parse(stdout)), stdout).toBe(true)
    }
  })
})
