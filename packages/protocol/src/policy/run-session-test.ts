import { canonicalJson } from '../base/canonical-json.ts'
import { sha256Hex } from '../crypto/hash.ts'
import { type ApprovalBlock, type ApprovalRule, approvalRuleOf } from './approval-rule.ts'
import type { CompiledPolicy } from './compile-policy.ts'
import { type CallDecision, decideCall } from './decide.ts'
import { evaluatePolicy } from './evaluate-policy.ts'
import type { Evaluation } from './evaluation.ts'
import type { TestCall } from './policy-test-calls.ts'
import type { PolicyTestCase } from './policy-test-file.ts'
import { createSessionReplay } from './session-replay.ts'

export type SessionTestResult = { differences: readonly string[]; evaluation: Evaluation }

/** Decides the calls of a case one after the other, as the gateway would. */
export function runSessionTest(
  policy: CompiledPolicy,
  test: PolicyTestCase & { calls: readonly TestCall[] },
): SessionTestResult {
  const replay = createSessionReplay(policy.sessionRules)
  const mode = policy.defaults.enforcement_mode
  const decide = (tool: string, evaluation: Evaluation): CallDecision =>
    decideCall({
      tool,
      containment: 'active',
      hold: false,
      agentMode: 'observe',
      policy: { outcome: 'evaluated', evaluation, mode },
    })
  const isLetThrough = ({ decision }: CallDecision) => decision === 'allow' || decision === 'warn'
  let nowMs = test.nowMs
  let last = evaluatePolicy(policy, { ...test, tools: [] })
  const differences = test.calls.flatMap((call, at) => {
    const { tool, sessionId, args } = call
    nowMs = call.nowMs ?? nowMs
    const alone = evaluatePolicy(policy, { ...test, tools: [tool], args, nowMs })
    const argumentsHash = args === undefined ? null : sha256Hex(canonicalJson(args))
    last = replay.judge({ tool, argumentsHash, sessionId, nowMs }, alone, (judged) =>
      isLetThrough(decide(tool, judged)),
    )
    const found = differencesOf(call, decide(tool, last), last)
    return found.map((difference) => `call ${at + 1} (${tool}): ${difference}`)
  })
  return { differences, evaluation: last }
}

function differencesOf(
  call: TestCall,
  { decision, reasons }: CallDecision,
  { violations }: Evaluation,
): string[] {
  const codes = reasons.map(({ code }) => code)
  const told = codes.length === 0 ? '' : ` (${codes.join(', ')})`
  const approvals = violations.flatMap(({ approval }) => approval ?? [])
  return [
    ...(decision === call.decision
      ? []
      : [`expected ${call.decision}, but the decision is ${decision}${told}`]),
    ...(call.codes === undefined || sorted(call.codes) === sorted(codes)
      ? []
      : [`expected the codes ${sorted(call.codes)}, but they are ${sorted(codes)}`]),
    ...(call.approval === undefined || approvals.some((rule) => fits(rule, call.approval))
      ? []
      : [`no rule has the approval ${JSON.stringify(call.approval)}`]),
  ]
}

function sorted(codes: readonly string[]): string {
  return JSON.stringify([...codes].sort())
}

/** Whether the rule has the values that the block names. */
function fits(rule: ApprovalRule, block: ApprovalBlock = {}): boolean {
  const wanted = approvalRuleOf({ ...blockOf(rule), ...block })
  return canonicalJson(ordered(wanted)) === canonicalJson(ordered(rule))
}

function blockOf({ expiresMinutes, ...rule }: ApprovalRule): ApprovalBlock {
  return { ...rule, expires_minutes: expiresMinutes }
}

function ordered(rule: ApprovalRule) {
  return { ...rule, roles: [...rule.roles].sort(), scopes: [...rule.scopes].sort() }
}
