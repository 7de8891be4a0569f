import type { CompiledPolicy, CompiledTrigger } from './compile-policy.ts'
import type { ConditionEnvironment } from './condition-names.ts'
import type { EvaluationCall, Findings } from './evaluation.ts'
import { graceEndMs, type ToolFacts } from './tool-facts.ts'

/** The part of the condition environment that is the same for all tools of a call. */
export function callEnvironment(
  call: EvaluationCall,
  facts: readonly ToolFacts[],
): ConditionEnvironment {
  const now = new Date(call.nowMs)
  return {
    tool_count: facts.length,
    unmapped_tool_count: facts.filter((tool) => !tool.capability && !tool.blocked).length,
    forbidden_tool_count: facts.filter(({ rules }) => rules.length > 0).length,
    context: call.context,
    action_type: call.transaction?.actionType ?? '',
    in_transaction: call.transaction !== undefined,
    hour: now.getUTCHours(),
    weekday: now.getUTCDay(),
  }
}

const NO_ARGUMENTS = {}

/**
 * Adds the facts about one tool. The fields are copied one by one because this runs for each tool,
 * and a spread takes longer than everything else together.
 */
export function toolEnvironment(
  of: ConditionEnvironment,
  { policy, call, facts }: { policy: CompiledPolicy; call: EvaluationCall; facts: ToolFacts },
): ConditionEnvironment {
  const { tool, rules, capability } = facts
  return {
    tool_count: of.tool_count,
    unmapped_tool_count: of.unmapped_tool_count,
    forbidden_tool_count: of.forbidden_tool_count,
    context: of.context,
    action_type: of.action_type,
    in_transaction: of.in_transaction,
    hour: of.hour,
    weekday: of.weekday,
    tool,
    server: serverOf(tool),
    capability: capability?.name ?? '',
    tool_mapped: capability !== undefined,
    tool_forbidden: rules.length > 0,
    tool_new: graceEndMs(policy, call, tool) !== undefined,
    args: call.args ?? NO_ARGUMENTS,
  }
}

const MCP = 'mcp__'

/** The server in `mcp__server__tool`; empty for any other name. */
function serverOf(tool: string): string {
  if (!tool.startsWith(MCP)) return ''
  const end = tool.indexOf('__', MCP.length)
  return end === -1 ? '' : tool.slice(MCP.length, end)
}

export function fireTriggers(
  triggers: readonly CompiledTrigger[],
  environment: ConditionEnvironment,
  { findings, beforeStep }: { findings: Findings; beforeStep: EvaluationCall['beforeStep'] },
): void {
  const { tool = '*' } = environment
  for (const { action, condition, reason, severity, approval, holds } of triggers) {
    beforeStep?.()
    if (!holds(environment)) continue
    if (action === 'warn') {
      findings.warnings.push({ type: 'escalation_triggered', tool, reason })
      continue
    }
    const blocking = action === 'deny'
    findings.violations.push({
      type: 'escalation',
      tool,
      reason,
      severity,
      blocking,
      rule: condition,
      action,
      ...(action === 'escalate' ? { approval } : {}),
    })
  }
}
