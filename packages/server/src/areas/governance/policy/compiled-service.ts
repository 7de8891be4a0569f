import { type CompiledPolicy, compilePolicy, type PolicyCard } from '@touchstone/protocol/policy'
import { createCache, createKnown } from '../../../kernel/cache.ts'
import { type Clock, HOUR_MS, MINUTE_MS } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import type { Notices } from '../../../kernel/notices.ts'
import { isGeneratedCard } from './generated-card.ts'
import type { Owner } from './policy-version.ts'
import type { Cards, HeldCard } from './ports.ts'
import { type Layers, type Resolution, resolutionOf } from './resolution.ts'
import { createPolicyStore } from './store.ts'

/** Word of a change, so that no node goes on with what was. */
const TOPIC = 'policy'

const HEADS_MAX = 100_000
/** As many agents as there are heads for, if their policies are small. */
const COMPILED_MAX = 100_000
/** Of all of them together, in memory. */
const COMPILED_BYTES_MAX = 256 * 2 ** 20

export type CompiledDeps = { db: Db; clock: Clock; notices: Notices; cards: Cards }

export type Compiled = { resolution: Resolution; compiled: CompiledPolicy }

/** What an agent is held to, and against what, as far as there is any. */
export type Standing = {
  policy: Compiled | undefined
  /** Undefined too for a card that nobody declared. */
  card: PolicyCard | undefined
}

/** Of what else compiled policies are made: an agent's card, and its organisation's template. */
export type CardPart = { kind: 'card' | 'template'; id: string }

/** What a compiled policy is made of: an owner's policy, or what an agent is held against. */
type Part = Owner | CardPart

export type CompiledPolicies = ReturnType<typeof createCompiledPolicies>

/**
 * Policies ready for evaluation, each compiled once for the versions it is made of. Which versions
 * these are is remembered apart, so a change of one document makes one entry stale, however many
 * agents it holds for. What was compiled of versions that are over is never asked for again.
 */
export function createCompiledPolicies({ db, clock, notices, cards }: CompiledDeps) {
  const limits = { entriesMax: HEADS_MAX, ttlMs: MINUTE_MS }
  const heads = createKnown<string>({ clock, notices, topic: TOPIC, ...limits })
  const kept = createCache<Standing>({
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
    const keep = heads.reading()
    const layers = await createPolicyStore(db).findLayers({ orgId: org.id, agentId: agent.id })
    const held = await cards.find(agent.id)
    const known = [
      [org, String(layers.org?.version ?? 0)],
      [agent, String(layers.agent?.version ?? 0)],
      [card, held === undefined ? '' : `${held.cardId} ${held.templateStamp}`],
      [template, String(held?.templateVersion ?? 0)],
    ] as const
    for (const [part, head] of known) keep(keyOf(part), head)
    const key = compiledKey(
      parts,
      known.map(([, head]) => head),
    )
    const found = kept.get(key) ?? standingOf(agent.id, layers, held)
    kept.set(key, found)
    return found
  }

  return {
    async find(orgId: string, agentId: string): Promise<Standing> {
      const parts = partsOf(orgId, agentId)
      const key = keyFor(parts)
      return (key === undefined ? undefined : kept.get(key)) ?? load(parts)
    },

    /** Calls with the agent whose policy may have changed; with undefined where it may be any. */
    onChange: (listener: (agentId: string | undefined) => void): void =>
      heads.onChange((key) => listener(key === undefined ? undefined : agentOf(key))),

    bytesOf,

    /** To all nodes, once the transaction is through. */
    tell: (tx: Db, part: Part): Promise<void> => heads.tell(tx, keyOf(part)),

    /** At once on this node, which has seen the transaction through. */
    forget: (part: Part): void => heads.forget(keyOf(part)),
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

/** None of its parts has a line break. */
function compiledKey({ org, agent }: Parts, known: readonly (string | undefined)[]): string {
  return `${org.id}\n${agent.id}\n${known.join('\n')}`
}

/** About as much as one takes in memory, measured on policies of few and of many patterns. */
const BYTES_AT_LEAST = 10_000
const BYTES_PER_PATTERN = 700

function bytesOf({ policy }: Standing): number {
  if (policy === undefined) return BYTES_AT_LEAST
  const { capability_mappings: mappings, forbidden } = policy.resolution.policy
  const patterns = Object.values(mappings).reduce((sum, { tools }) => sum + tools.length, 0)
  return BYTES_AT_LEAST + BYTES_PER_PATTERN * (patterns + forbidden.length)
}

/** Without a policy when no layer has one. */
export function standingOf(agentId: string, layers: Layers, held: HeldCard | undefined): Standing {
  const isDeclared = held !== undefined && !isGeneratedCard(agentId, held.declared)
  const card = isDeclared ? held.card : undefined
  const resolution = resolutionOf(agentId, layers)
  const policy = resolution && {
    resolution,
    compiled: compilePolicy({ policy: resolution.policy, card }),
  }
  return { policy, card }
}
