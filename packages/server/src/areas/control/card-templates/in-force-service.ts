import type { OrgTemplate } from '@touchstone/protocol'
import { type Cache, createCache } from '../../../kernel/cache.ts'
import { type Clock, MINUTE_MS } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import type { Notices } from '../../../kernel/notices.ts'
import { createTemplateStore, type InForce } from './store.ts'

/** Word of a change, so that no node goes on with what was. */
const TOPIC = 'card_template'

/** Each may be as large as a card. */
const TEMPLATES_MAX = 5000
const EXEMPTIONS_MAX = 100_000

/** Of an organisation that never had one. */
const NOTHING: InForce = { version: 0, template: undefined }

/** An organisation's template, or an agent's being exempt from it. */
export type Part = { kind: 'org' | 'agent'; id: string }

export type TemplatesInForce = ReturnType<typeof createTemplatesInForce>

/** What is laid over the card of an agent, asked for everything the agent does. */
export function createTemplatesInForce({ clock, notices }: { clock: Clock; notices: Notices }) {
  const limits = { clock, ttlMs: MINUTE_MS }
  const templates = createCache<InForce>({ ...limits, entriesMax: TEMPLATES_MAX })
  const exemptions = createCache<boolean>({ ...limits, entriesMax: EXEMPTIONS_MAX })
  // Counts changes: what was read before one and arrives after it is stale and not to be kept.
  let changes = 0
  const forget = ({ kind, id }: Part): void => {
    changes += 1
    if (kind === 'org') templates.delete(id)
    else exemptions.delete(id)
  }
  notices.on(TOPIC, (key) => forget(partOf(key)))
  notices.onReset(() => {
    changes += 1
    templates.clear()
    exemptions.clear()
  })

  const recall = async <Known>(
    cache: Cache<Known>,
    key: string,
    read: () => Promise<Known>,
  ): Promise<Known> => {
    const known = cache.get(key)
    if (known !== undefined) return known
    const changesBefore = changes
    const found = await read()
    if (changes === changesBefore) cache.set(key, found)
    return found
  }

  return {
    /**
     * The version is the organisation's, also where its template does not hold. Through `db` when
     * it is not known: a transaction must not wait for a second connection.
     */
    async find(
      db: Db,
      { orgId, agentId }: { orgId: string; agentId: string },
    ): Promise<{ version: number; template: OrgTemplate | undefined }> {
      const store = createTemplateStore(db)
      const ofOrg = await recall(
        templates,
        orgId,
        async () => (await store.findInForce(orgId)) ?? NOTHING,
      )
      // Most organisations have none, and their agents are not asked about.
      if (ofOrg.template === undefined) return ofOrg
      const isExempt = await recall(
        exemptions,
        agentId,
        async () => (await store.findExemption(agentId))?.exempt ?? false,
      )
      return isExempt ? { version: ofOrg.version, template: undefined } : ofOrg
    },

    /** To all nodes, once the transaction is through. */
    tell: (tx: Db, part: Part): Promise<void> => notices.publish(tx, TOPIC, keyOf(part)),

    /** At once on this node, which has seen the transaction through. */
    forget,
  }
}

function keyOf({ kind, id }: Part): string {
  return `${kind} ${id}`
}

function partOf(key: string): Part {
  const split = key.indexOf(' ')
  const kind = key.slice(0, split) === 'org' ? 'org' : 'agent'
  return { kind, id: key.slice(split + 1) }
}
