import type { CompiledPolicy } from './compile-policy.ts'
import type { Observation } from './observed-call.ts'
import type { CapabilityMapping, MergedPolicy, PolicyCard, PolicyDocument } from './policy.ts'
import { CAPABILITIES_MAX, TOOLS_MAX } from './policy-shape.ts'
import { toolFacts } from './tool-facts.ts'

/** A tool that the policy will list, with the calls that prove its use. */
export type UsedTool = {
  tool: string
  effect: 'allow' | 'escalate'
  calls: readonly Observation[]
}

export type Placed = {
  mappings: Readonly<Record<string, CapabilityMapping>>
  /** The capability of each tool, and a JSON pointer to its name. */
  places: ReadonlyMap<string, { capability: string; path: string }>
  /** A name that stands in capabilities of which no tool was used; undefined if there are none. */
  placeholder: string | undefined
}

export type PlacedUnder = {
  current: MergedPolicy | undefined
  compiled: CompiledPolicy | undefined
  org?: PolicyDocument | undefined
  card?: PolicyCard | undefined
}

type Group = { base: string; mapping: Omit<CapabilityMapping, 'tools'>; tools: string[] }

/**
 * Lists exact names under the capabilities of today. A tool without one gets the card action of its
 * traces, or a capability named after its MCP server, whose action the card then has to grant.
 * Undefined if the tools are too many for one policy. Requires tools in order of name.
 */
export function placeTools(used: readonly UsedTool[], under: PlacedUnder): Placed | undefined {
  const { current, org } = under
  const mapped = new Map<string, string[]>()
  const others = new Map<string, Group>()
  for (const one of used) {
    const capability = capabilityOf(one.tool, under.compiled)
    if (capability === undefined) addOther(others, one, under)
    else mapped.set(capability, [...(mapped.get(capability) ?? []), one.tool])
  }
  const taken = new Map<string, CapabilityMapping>()
  for (const [name, tools] of mapped) {
    const { description, card_actions } = current?.capability_mappings[name] ?? { card_actions: [] }
    taken.set(name, { ...(description === undefined ? {} : { description }), tools, card_actions })
  }
  // A capability of today keeps its meaning, so others need names of their own.
  addOthers(taken, [...others.values()], new Set(Object.keys(current?.capability_mappings ?? {})))
  const places = placesOf(taken)
  const placeholder = freeName('unused-tool', (tried) => places.has(tried))
  const unused = Object.entries(org?.capability_mappings ?? {}).filter(([name]) => !taken.has(name))
  for (const [name, { card_actions }] of unused) {
    taken.set(name, { description: UNUSED, tools: [placeholder], card_actions })
  }
  const all = [...taken.values()]
  if (taken.size > CAPABILITIES_MAX || all.some(({ tools }) => tools.length > TOOLS_MAX)) return
  const mappings = Object.fromEntries([...taken].sort(([a], [b]) => (a < b ? -1 : 1)))
  return { mappings, places, placeholder: unused.length > 0 ? placeholder : undefined }
}

/**
 * A document cannot remove a capability of the organisation, but replaces it as a whole. A list of tools
 * cannot be empty, so it has a name that a trigger denies.
 */
const UNUSED = 'No tool of this capability was used'

function addOthers(
  taken: Map<string, CapabilityMapping>,
  others: readonly Group[],
  reserved: ReadonlySet<string>,
): void {
  for (const { base, mapping, tools } of others.toSorted(byBase)) {
    for (let first = 0; first < tools.length; first += TOOLS_MAX) {
      const name = freeName(base, (tried) => reserved.has(tried) || taken.has(tried))
      taken.set(name, { ...mapping, tools: tools.slice(first, first + TOOLS_MAX) })
    }
  }
}

/** The one that an evaluation chooses. */
function capabilityOf(tool: string, compiled: CompiledPolicy | undefined): string | undefined {
  return compiled && toolFacts(compiled, tool).capability?.name
}

function addOther(others: Map<string, Group>, used: UsedTool, { card }: PlacedUnder): void {
  const server = serverOf(used.tool)
  const action = card && tracedAction(used, card)
  const base = nameFrom(action ?? server ?? 'tools')
  const key = `${base} ${action ?? ''}`
  const group = others.get(key) ?? { base, mapping: { card_actions: [action ?? base] }, tools: [] }
  group.tools.push(used.tool)
  others.set(key, group)
}

/** The granted action of most traces that used the tool. */
function tracedAction({ calls }: UsedTool, card: PolicyCard): string | undefined {
  const { bounded_actions: bounded, forbidden_actions: forbidden = [] } = card.autonomy_envelope
  const granted = new Set(bounded.filter((action) => !forbidden.includes(action)))
  const counts = new Map<string, number>()
  for (const { source, action, count } of calls) {
    if (source !== 'trace' || action === undefined || !granted.has(action)) continue
    counts.set(action, (counts.get(action) ?? 0) + count)
  }
  const ranked = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
  return ranked[0]?.[0]
}

/** The server of an MCP tool. */
function serverOf(tool: string): string | undefined {
  return /^mcp__(.+?)__/.exec(tool)?.[1]
}

const NAME_MAX = 64
/** Room for the number of one of many. */
const BASE_MAX = NAME_MAX - '-000'.length

function nameFrom(text: string): string {
  const allowed = text.replaceAll(/[^A-Za-z0-9_.-]+/g, '-').replace(/^[^A-Za-z0-9]+/, '')
  return allowed.slice(0, BASE_MAX) || 'tools'
}

function freeName(base: string, isTaken: (name: string) => boolean): string {
  if (!isTaken(base)) return base
  let number = 2
  while (isTaken(`${base}-${number}`)) number += 1
  return `${base}-${number}`
}

function byBase(a: Group, b: Group): number {
  const [left, right] = [a, b].map(({ base, mapping }) => `${base} ${mapping.card_actions[0]}`)
  return (left ?? '') < (right ?? '') ? -1 : 1
}

function placesOf(taken: ReadonlyMap<string, CapabilityMapping>): Placed['places'] {
  const places = new Map<string, { capability: string; path: string }>()
  for (const [capability, { tools }] of taken) {
    for (const [at, tool] of tools.entries()) {
      places.set(tool, { capability, path: `/capability_mappings/${capability}/tools/${at}` })
    }
  }
  return places
}
