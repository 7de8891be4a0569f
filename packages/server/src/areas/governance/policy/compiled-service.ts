import { type AlignmentCard, type CompiledPolicy, compilePolicy } from '@touchstone/protocol'
import { createCache } from '../../../kernel/cache.ts'
import { type Clock, HOUR_MS, MINUTE_MS } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import type { Notices } from '../../../kernel/notices.ts'
import { isGeneratedCard } from './generated-card.ts'
import type { Owner } from './policy-version.ts'
import type { Cards } from './ports.ts'
import { type Layers, type Resolution, resolutionOf } from './resolution.ts'
import { createPolicyStore } from './store.ts'

/** Word of a change, so that no node goes on with what was. */
const TOPIC = 'policy'

const HEADS_MAX = 100_000
const COMPILED_MAX = 5000

export type CompiledDeps = { db: Db; clock: Clock; notices: Notices; cards: Cards }

export type Compiled = { resolution: Resolution; compiled: CompiledPolicy }

/** What a compiled policy is made of: an owner's policy, or the card of an agent. */
type Part = Owner | { kind: 'card'; id: string }

export type CompiledPolicies = ReturnType<typeof createCompiledPolicies>

/**
 * Policies ready for evaluation, each compiled once for the versions it is made of. Which versions
 * these are is remembered apart, so a change of one document makes one entry stale, however many
 * agents it holds for. What was compiled of versions that are over is never asked for again.
 */
export function createCompiledPolicies({ db, clock, notices, cards }: CompiledDeps) {
  const heads = createCache<string>({ clock, entriesMax: HEADS_MAX, ttlMs: MINUTE_MS })
  const kept = createCache<{ found: Compiled | undefined }>({
    clock,
    entriesMax: COMPILED_MAX,
    ttlMs: HOUR_MS,
  })
  // Counts changes: what was read before one and arrives after it is stale and not to be kept.
  let changes = 0
  notices.on(TOPIC, (key) => {
    changes += 1
    heads.delete(key)
  })
  notices.onReset(() => {
    changes += 1
    heads.clear()
  })

  const load = async (parts: Parts) => {
    const { org, agent, card } = parts
    const changesBefore = changes
    const layers = await createPolicyStore(db).findLayers({ orgId: org.id, agentId: agent.id })
    const held = await cards.find(agent.id)
    const known = [
      [org, String(layers.org?.version ?? 0)],
      [agent, String(layers.agent?.version ?? 0)],
      [card, held?.cardId ?? ''],
    ] as const
    if (changes === changesBefore) for (const [part, head] of known) heads.set(keyOf(part), head)
    const key = compiledKey(
      parts,
      known.map(([, head]) => head),
    )
    const found = kept.get(key) ?? { found: compile(agent.id, layers, held?.card) }
    kept.set(key, found)
    return found.found
  }

  return {
    /** Nothing when no layer has a policy. */
    async find(orgId: string, agentId: string): Promise<Compiled | undefined> {
      const parts = partsOf(orgId, agentId)
      const known = [parts.org, parts.agent, parts.card].map((part) => heads.get(keyOf(part)))
      const entry = known.includes(undefined) ? undefined : kept.get(compiledKey(parts, known))
      return entry === undefined ? load(parts) : entry.found
    },

    /** To all nodes, once the transaction is through. */
    tell: (tx: Db, part: Part): Promise<void> => notices.publish(tx, TOPIC, keyOf(part)),

    /** At once on this node, which has seen the transaction through. */
    forget(part: Part): void {
      changes += 1
      heads.delete(keyOf(part))
    },
  }
}

type Parts = ReturnType<typeof partsOf>

function partsOf(orgId: string, agentId: string) {
  return {
    org: { kind: 'org', id: orgId },
    agent: { kind: 'agent', id: agentId },
    card: { kind: 'card', id: agentId },
  } as const
}

function keyOf({ kind, id }: Part): string {
  return `${kind} ${id}`
}

function compiledKey({ org, agent }: Parts, known: readonly (string | undefined)[]): string {
  return JSON.stringify([org.id, agent.id, ...known])
}

function compile(
  agentId: string,
  layers: Layers,
  card: AlignmentCard | undefined,
): Compiled | undefined {
  const resolution = resolutionOf(agentId, layers)
  if (resolution === undefined) return undefined
  const declared = card === undefined || isGeneratedCard(agentId, card) ? undefined : card
  return { resolution, compiled: compilePolicy({ policy: resolution.policy, card: declared }) }
}
