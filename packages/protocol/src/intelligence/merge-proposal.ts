import { conditionKey } from '../policy/condition-syntax.ts'
import { mergeShared } from '../policy/merge-rules.ts'
import type {
  CapabilityMapping,
  PolicyDocument,
  PolicyRules,
  PolicyTrigger,
} from '../policy/policy.ts'

/** Policy changes proposed by an untrusted source. */
export type PolicyProposal = Pick<PolicyRules, 'forbidden' | 'escalation_triggers' | 'defaults'> & {
  mappings: readonly { capability: string; tools: readonly string[] }[]
}

/** Weakest first. */
const TRIGGER_STRENGTH: readonly PolicyTrigger['action'][] = ['warn', 'escalate', 'deny']

/**
 * Adds a proposal to the floor. INVARIANT: everything that the floor blocks stays blocked, and
 * everything that it escalates still needs approval. The result may be invalid.
 */
export function mergeProposal(floor: PolicyDocument, proposal: PolicyProposal): PolicyDocument {
  const strength = ({ action }: PolicyTrigger) => TRIGGER_STRENGTH.indexOf(action)
  const floorTriggers = new Map(
    floor.escalation_triggers.map((trigger) => [conditionKey(trigger.condition), trigger]),
  )
  const added = proposal.escalation_triggers.filter((trigger) => {
    const below = floorTriggers.get(conditionKey(trigger.condition))
    return below === undefined || strength(trigger) > strength(below)
  })
  const sharper = new Set(added.map(({ condition }) => conditionKey(condition)))
  const shared = mergeShared({
    lower: {
      forbidden: floor.forbidden,
      defaults: floor.defaults,
      escalation_triggers: floor.escalation_triggers.filter(
        ({ condition }) => !sharper.has(conditionKey(condition)),
      ),
    },
    upper: { ...proposal, escalation_triggers: added },
  })
  // A proposal has no rules over a session.
  const { limits, flows } = floor
  const blocksUnmapped = shared.defaults.unmapped_tool_action === 'block'
  return {
    meta: floor.meta,
    // If unmapped tools pass with a warning, a mapped tool is held to stricter rules, so nothing is
    // removed.
    capability_mappings: blocksUnmapped
      ? narrowed(floor.capability_mappings, proposal.mappings)
      : floor.capability_mappings,
    ...shared,
    ...(limits === undefined ? {} : { limits }),
    ...(flows === undefined ? {} : { flows }),
  }
}

type Mappings = Readonly<Record<string, CapabilityMapping>>

/**
 * Keeps only tools that the floor maps to the same capability; a mapping without any of them is
 * unchanged.
 */
function narrowed(mappings: Mappings, proposed: PolicyProposal['mappings']): Mappings {
  const wanted = new Map(proposed.map(({ capability, tools }) => [capability, new Set(tools)]))
  return Object.fromEntries(
    Object.entries(mappings).map(([name, mapping]) => {
      const tools = mapping.tools.filter((tool) => wanted.get(name)?.has(tool))
      return [name, tools.length === 0 ? mapping : { ...mapping, tools }]
    }),
  )
}
