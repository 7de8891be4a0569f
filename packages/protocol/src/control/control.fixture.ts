import { readFileSync } from 'node:fs'
import type { ComponentScores } from '../score/component-scores.ts'
import { advanceReach, beginReach, type Reach, type TrustEdge } from './propagation.ts'
import type { ReclassifiedType } from './reclassification.ts'

type WireEdge = {
  source_agent_id: string
  target_agent_id: string
  trust_level: TrustEdge['trustLevel']
}

type ControlVectors = {
  reclassification_type: {
    id: string
    original_type: string
    card_amendment_id: string | null
    new_type: ReclassifiedType | null
    expected: ReclassifiedType | 400
  }[]
  propagation: {
    id: string
    delta: number
    source: string
    edges?: WireEdge[]
    expected: {
      adjustments?: { agent_id: string; hop: number; adjustment: number }[]
      order_first?: string
      order_last?: string
      agents_affected: number
      max_depth: number
      decay_factor: number
    }
    neighbours?: {
      agent_id: string
      components: ComponentScores
      score_before: number
      coherence_after: number
      score_after: number
    }[]
  }[]
  containment_log_hash: { id: string; entry: object; prev_hash: string; entry_hash: string }[]
}

export const CONTROL_VECTORS: ControlVectors = JSON.parse(
  readFileSync(new URL('../../../../vectors/policy/policy.json', import.meta.url), 'utf8'),
)

export function toEdge(wire: WireEdge): TrustEdge {
  return {
    sourceAgentId: wire.source_agent_id,
    targetAgentId: wire.target_agent_id,
    trustLevel: wire.trust_level,
  }
}

/** Follows the correction to the end over a complete list of edges. */
export function followAll(source: string, edges: readonly TrustEdge[]): Reach {
  let reach = beginReach(source)
  while (reach.frontier.length > 0) reach = advanceReach(reach, edges)
  return reach
}
