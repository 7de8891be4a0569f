import { isGeneratedCard } from '@touchstone/protocol/cards'
import { type CompiledPolicy, compilePolicy, type PolicyCard } from '@touchstone/protocol/policy'
import { createCache, createSharedCache } from '../../../kernel/cache.ts'
import { type Clock, HOUR_MS, MINUTE_MS } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import type { Notices } from '../../../kernel/notices.ts'
import type { Owner } from './policy-version.ts'
import type { CardInForce, Cards } from './ports.ts'
import { type Layers, type Resolution, resolutionOf } from './resolution.ts'
import { createPolicyStore } from './store.ts'

/** Notifies all nodes of a change, so that they invalidate their caches. */
const TOPIC = 'policy'

const HEADS_MAX = 100_000
/** An entry for every agent, if policies are small. */
const COMPILED_MAX = 100_000
/** Total memory of all entries. */
const COMPILED_BYTES_MAX = 256 * 2 ** 20

export type CompiledDeps = { db: Db; clock: Clock; notices: Notices; cards: Cards }

export type Compiled = { resolution: Resolution; compiled: CompiledPolicy }

/** The policy of an agent and the card it is checked against, if there are any. */
export type EffectiveRules = {
  policy: Compiled | undefined
  /** Also undefined for a generated card. */
  card: PolicyCard | undefined
}

/** Other inputs of a compiled policy: the agent's card and its organisation's card template. */
export type CardPart = { kind: 'card' | 'template'; id: string }

/** An input of a compiled policy: an owner's policy, a card or a card template. */
type Part = Owner | CardPart

export type CompiledPolicies = ReturnType<typeof createCompiledPolicies>

/**
 * Policies ready for evaluation, each compiled once for the versions of its parts. The current
 * versions are cached separately, as heads, so a changed document invalidates one entry, however many
 * agents it applies to. Entries compiled from older versions are no longer read and get evicted.
 */
export function createCompiledPolicies({ db, clock, notices, cards }: CompiledDeps) {
  const limits = { entriesMax: HEADS_MAX, ttlMs: MINUTE_MS }
  const heads = createSharedCache<string>({ clock, notices, topic: TOPIC, ...limits })
  const cache = createCache<EffectiveRules>({
    clock,
    entriesMax: COMPILED_MAX,
    ttlMs: HOUR_MS,
    weight: { of: bytesOf, max: COMPILED_BYTES_MAX },
  })

  const keyFor = (parts: Parts): string | undefined => {
    const { org, agent, card, template } = parts
    const known = [org, agent, card, template].map((part) => heads.get(keyOf(part)))
    return known.includes(undefined) ? undefined : compiledKey(parts, known)
  }

  const load = async (parts: Parts) => {
    const { org, agent, card, template } = parts
    const cacheHead = heads.beginRead()
    const layers = await createPolicyStore(db).findLayers({ orgId: org.id, agentId: agent.id })
    const cardInForce = await cards.find(agent.id)
    const known = [
      [org, String(layers.org?.version ?? 0)],
      [agent, String(layers.agent?.version ?? 0)],
      [card, cardInForce === undefined ? '' : `${cardInForce.cardId} ${cardInForce.templateStamp}`],
      [template, String(cardInForce?.templateVersion ?? 0)],
    ] as const
    for (const [part, head] of known) cacheHead(keyOf(part), head)
    const key = compiledKey(
      parts,
      known.map(([, head]) => head),
    )
    const found = cache.get(key) ?? effectiveRulesOf(agent.id, layers, cardInForce)
    cache.set(key, found)
    return found
  }

  return {
    async find(orgId: string, agentId: string): Promise<EffectiveRules> {
      const parts = partsOf(orgId, agentId)
      const key = keyFor(parts)
      return (key === undefined ? undefined : cache.get(key)) ?? load(parts)
    },

    /** Calls back with the agent whose rules may have changed, or undefined if any may have. */
    onChange: (listener: (agentId: string | undefined) => void): void =>
      heads.onChange((key) => listener(key === undefined ? undefined : agentOf(key))),

    bytesOf,

    /** Invalidates on all nodes, after commit. */
    invalidate: (tx: Db, part: Part): Promise<void> => heads.invalidate(tx, keyOf(part)),

    /** Evicts on this node now, so that its next read sees the committed change. */
    evict: (part: Part): void => heads.evict(keyOf(part)),
  }
}

type Parts = ReturnType<typeof partsOf>

function partsOf(orgId: string, agentId: string) {
  return {
    org: { kind: 'org', id: orgId },
    agent: { kind: 'agent', id: agentId },
    card: { kind: 'card', id: agentId },
    template: { kind: 'template', id: orgId },
  } as const
}

function keyOf({ kind, id }: Part): string {
  return `${kind} ${id}`
}

/** The agent that a part belongs to; undefined for a part that many agents share. */
function agentOf(key: string): string | undefined {
  const [kind, id] = key.split(' ', 2)
  return kind === 'agent' || kind === 'card' ? id : undefined
}

/** Unambiguous, because none of the parts contains a line break. */
function compiledKey({ org, agent }: Parts, known: readonly (string | undefined)[]): string {
  return `${org.id}\n${agent.id}\n${known.join('\n')}`
}

/** Estimated memory use, measured on policies with few and with many patterns. */
const BYTES_AT_LEAST = 10_000
const BYTES_PER_PATTERN = 700

function bytesOf({ policy }: EffectiveRules): number {
  if (policy === undefined) return BYTES_AT_LEAST
  const { capability_mappings: mappings, forbidden } = policy.resolution.policy
  const patterns = Object.values(mappings).reduce((sum, { tools }) => sum + tools.length, 0)
  return BYTES_AT_LEAST + BYTES_PER_PATTERN * (patterns + forbidden.length)
}

/** Has no policy if no layer has one. */
export function effectiveRulesOf(
  agentId: string,
  layers: Layers,
  cardInForce: CardInForce | undefined,
): EffectiveRules {
  const isDeclared = cardInForce !== undefined && !isGeneratedCard(agentId, cardInForce.declared)
  const card = isDeclared ? cardInForce.card : undefined
  const resolution = resolutionOf(agentId, layers)
  const policy = resolution && {
    resolution,
    compiled: compilePolicy({ policy: resolution.policy, card }),
  }
  return { policy, card }
}
