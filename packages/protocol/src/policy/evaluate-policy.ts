import type { CompiledPolicy } from './compile-policy.ts'
import type { Evaluation, EvaluationCall, Findings, PolicyVerdict } from './evaluation.ts'
import { callEnvironment, fireTriggers, toolEnvironment } from './fire-triggers.ts'
import { graceEndMs, type ToolFacts, toolFacts } from './tool-facts.ts'

/**
 * Deterministic: the same policy and call give the same evaluation, inside the service and outside.
 */
export function evaluatePolicy(policy: CompiledPolicy, call: EvaluationCall): Evaluation {
  const findings: Findings = { violations: [], warnings: [], card_gaps: [] }
  const gate = call.transaction && createGate(call.transaction, findings)
  const tools = [...new Set(call.tools)]
  if (policy.defaults.enforcement_mode === 'off' && call.context !== 'audit') {
    for (const tool of tools) gate?.(tool)
  } else {
    applyRules({ policy, call, gate, findings }, tools)
  }
  const { violations, warnings, card_gaps } = findings
  return {
    verdict: verdictOf(findings),
    violations,
    warnings,
    card_gaps,
    coverage: policy.coverage,
  }
}

/** The tools that a live evaluation sees for the first time. */
export function toolsFirstSeen(
  call: Pick<EvaluationCall, 'tools' | 'context' | 'firstSeenMs'>,
): string[] {
  if (call.context === 'audit') return []
  return [...new Set(call.tools)].filter((tool) => !call.firstSeenMs.has(tool))
}

function verdictOf({ violations, warnings }: Findings): PolicyVerdict {
  if (violations.some(({ blocking }) => blocking)) return 'fail'
  return violations.length > 0 || warnings.length > 0 ? 'warn' : 'pass'
}

/** Returns whether the tool may pass. */
type Gate = (tool: string) => boolean

function createGate(
  { status, tools }: NonNullable<EvaluationCall['transaction']>,
  { violations }: Findings,
): Gate {
  const listed = new Set(status === 'active' ? tools : [])
  const reason =
    status === 'active' ? 'The transaction does not list this tool' : `Transaction is ${status}`
  return (tool) => {
    if (listed.has(tool)) return true
    violations.push({
      type: 'unmapped',
      tool,
      reason,
      severity: 'high',
      blocking: true,
      rule: 'transaction',
    })
    return false
  }
}

type Run = {
  policy: CompiledPolicy
  call: EvaluationCall
  gate: Gate | undefined
  findings: Findings
}

function applyRules(run: Run, tools: readonly string[]): void {
  const { policy, call, gate, findings } = run
  const { beforeStep } = call
  const { toolTriggers, callTriggers } = policy
  const facts = tools.map((tool) => {
    beforeStep?.()
    return toolFacts(policy, tool)
  })
  const hasTriggers = toolTriggers.length + callTriggers.length > 0
  const environment = hasTriggers ? callEnvironment(call, facts) : undefined
  for (const tool of facts) {
    applyForbidden(run, tool)
    if (gate?.(tool.tool) !== false) judgeMapping(run, tool)
    if (environment === undefined || toolTriggers.length === 0) continue
    fireTriggers(toolTriggers, toolEnvironment(environment, { policy, call, facts: tool }), {
      findings,
      beforeStep,
    })
  }
  if (environment !== undefined) fireTriggers(callTriggers, environment, { findings, beforeStep })
}

function applyForbidden({ policy, findings }: Run, { tool, rules }: ToolFacts): void {
  for (const id of rules) {
    const found = policy.forbidden[id]
    if (found === undefined) continue
    const { reason, severity, blocking, pattern: rule } = found
    findings.violations.push({ type: 'forbidden', tool, reason, severity, blocking, rule })
  }
}

function judgeMapping(run: Run, facts: ToolFacts): void {
  if (facts.capability !== undefined) judgeCard(run, facts.tool, facts.capability)
  else if (!facts.blocked) judgeUnmapped(run, facts.tool)
}

const UNMAPPED = 'No capability maps this tool'

function judgeUnmapped(run: Run, tool: string): void {
  const { unmapped_tool_action: action, unmapped_severity: severity } = run.policy.defaults
  if (action === 'warn') {
    run.findings.warnings.push({ type: 'unmapped_tool', tool, reason: UNMAPPED })
  } else if (action === 'block' && !warnIfGraced(run, tool, UNMAPPED)) {
    run.findings.violations.push({
      type: 'unmapped',
      tool,
      reason: UNMAPPED,
      severity,
      blocking: true,
      rule: 'default',
    })
  }
}

function judgeCard(
  run: Run,
  tool: string,
  { name: capability, missing, refused, reason }: NonNullable<ToolFacts['capability']>,
): void {
  if (missing.length === 0) return
  const { violations, card_gaps } = run.findings
  const finding = { tool, reason, blocking: true, rule: 'card', capability }
  if (refused.length > 0) {
    violations.push({ type: 'forbidden', severity: 'critical', ...finding })
    return
  }
  card_gaps.push({ tool, capability, missing_card_actions: missing, reason })
  if (warnIfGraced(run, tool, reason)) return
  violations.push({ type: 'unmapped', severity: 'high', ...finding })
}

/**
 * During the grace period a violation becomes a warning that says when the period ends. Returns
 * whether it did.
 */
function warnIfGraced({ policy, call, findings }: Run, tool: string, reason: string): boolean {
  const endMs = graceEndMs(policy, call, tool)
  if (endMs === undefined) return false
  const expires_at = new Date(endMs).toISOString()
  findings.warnings.push({ type: 'grace_period', tool, reason, expires_at })
  return true
}
