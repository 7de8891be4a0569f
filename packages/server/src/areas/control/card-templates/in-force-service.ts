import type { OrgTemplate } from '@touchstone/protocol/cards'
import { createSharedCache } from '../../../kernel/cache.ts'
import { type Clock, MINUTE_MS } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import type { Notices } from '../../../kernel/notices.ts'
import { type ActiveTemplate, createTemplateStore } from './store.ts'

/** Notification topics that evict the caches of all nodes. */
const TOPICS = { org: 'card_template', agent: 'card_exemption' } as const

/** Kept small because each template can be as large as a card. */
const TEMPLATES_MAX = 5000
const EXEMPTIONS_MAX = 100_000

/** Cached for organisations that never had a template. */
const NOTHING: ActiveTemplate = { version: 0, template: undefined }

/** An organisation's template, or one agent's exemption from it. */
export type Part = { kind: 'org' | 'agent'; id: string }

export type TemplatesInForce = ReturnType<typeof createTemplatesInForce>

/** Caches the template merged into an agent's card, because every agent request needs it. */
export function createTemplatesInForce({ clock, notices }: { clock: Clock; notices: Notices }) {
  const limits = { clock, notices, ttlMs: MINUTE_MS }
  const templates = createSharedCache<ActiveTemplate>({
    ...limits,
    topic: TOPICS.org,
    entriesMax: TEMPLATES_MAX,
  })
  const exemptions = createSharedCache<boolean>({
    ...limits,
    topic: TOPICS.agent,
    entriesMax: EXEMPTIONS_MAX,
  })
  const partsOf = { org: templates, agent: exemptions }

  return {
    /**
     * Returns the organisation's version even if its template does not apply to the agent. Reads
     * through `db` on a cache miss: a transaction must not wait for a second connection.
     */
    async find(
      db: Db,
      { orgId, agentId }: { orgId: string; agentId: string },
    ): Promise<{ version: number; template: OrgTemplate | undefined }> {
      const store = createTemplateStore(db)
      const readOrg = async () => (await store.findActive(orgId)) ?? NOTHING
      const ofOrg = templates.get(orgId) ?? (await templates.load(orgId, readOrg))
      // Most organisations have no template, so exemptions are not looked up for their agents.
      if (ofOrg.template === undefined) return ofOrg
      const readAgent = async () => (await store.findExemption(agentId))?.exempt ?? false
      const isExempt = exemptions.get(agentId) ?? (await exemptions.load(agentId, readAgent))
      return isExempt ? { version: ofOrg.version, template: undefined } : ofOrg
    },

    invalidate: (tx: Db, { kind, id }: Part): Promise<void> => partsOf[kind].invalidate(tx, id),
    evict: ({ kind, id }: Part): void => partsOf[kind].evict(id),
  }
}
