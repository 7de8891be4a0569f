import type { CompiledCapability, CompiledPolicy } from './compile-policy.ts'
import type { EvaluationCall } from './evaluation.ts'

/** The facts about a tool that the rules need. */
export type ToolFacts = {
  tool: string
  /** Indices of the forbidden rules that match. */
  rules: readonly number[]
  /** Whether one of them blocks. */
  blocked: boolean
  /** The capability chosen among those that map the tool. */
  capability: CompiledCapability | undefined
}

export function toolFacts(policy: CompiledPolicy, tool: string): ToolFacts {
  const rules = policy.forbiddenIndex.matching(tool)
  const best = policy.mappingIndex.matching(tool)[0]
  return {
    tool,
    rules,
    blocked: rules.some((id) => policy.forbidden[id]?.blocking),
    capability: best === undefined ? undefined : policy.capabilities[best],
  }
}

const HOUR_MS = 3_600_000

/**
 * When a tool's grace period ends. It starts when the tool is first seen, or again when enforcement
 * is switched on, so that neither stops an agent without notice.
 */
export function graceEndMs(
  policy: CompiledPolicy,
  call: EvaluationCall,
  tool: string,
): number | undefined {
  if (call.context === 'audit') return undefined
  const seenMs = call.firstSeenMs.get(tool) ?? call.nowMs
  const startMs = Math.max(seenMs, call.enforcedSinceMs ?? seenMs)
  const endMs = startMs + policy.defaults.grace_period_hours * HOUR_MS
  return call.nowMs < endMs ? endMs : undefined
}
