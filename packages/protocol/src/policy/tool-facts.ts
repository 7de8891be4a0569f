import type { CompiledCapability, CompiledPolicy } from './compile-policy.ts'
import type { EvaluationCall } from './evaluation.ts'

/** What the rules know of a tool before they judge it. */
export type ToolFacts = {
  tool: string
  /** Places of the forbidden rules that match. */
  rules: readonly number[]
  /** One of them blocks. */
  blocked: boolean
  /** The one chosen of those that map it. */
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
 * When a tool that is in grace leaves it. Grace starts with the tool, or again when enforcement
 * is switched on, so that neither stops an agent in its work without notice.
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
