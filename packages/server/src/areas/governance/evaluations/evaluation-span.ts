import type { JudgedCall } from './judged-call.ts'

/** The telemetry span of an evaluation (spec: platform §6.2), without tool names and reasons. */
export function evaluationSpan(judged: JudgedCall) {
  const { evaluation, durationMs } = judged
  return {
    name: 'policy.evaluate',
    startedAt: new Date(judged.evaluatedAt.getTime() - durationMs),
    durationMs,
    attributes: {
      'policy.agent_id': judged.agentId,
      'policy.policy_id': judged.policyId ?? undefined,
      'policy.policy_version': judged.policyVersion ?? undefined,
      'policy.verdict': evaluation.verdict,
      'policy.violations_count': evaluation.violations.length,
      'policy.warnings_count': evaluation.warnings.length,
      'policy.coverage_pct': evaluation.coverage.coverage_pct,
      'policy.context': judged.context,
      'policy.duration_ms': durationMs,
      'policy.enforcement_mode': judged.policyMode,
    },
    events: [],
  }
}
