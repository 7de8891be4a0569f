import type { OrgTemplate } from '@touchstone/protocol/cards'
import { createKnown } from '../../../kernel/cache.ts'
import { type Clock, MINUTE_MS } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import type { Notices } from '../../../kernel/notices.ts'
import { createTemplateStore, type InForce } from './store.ts'

/** Word of a change, so that no node goes on with what was. */
const TOPICS = { org: 'card_template', agent: 'card_exemption' } as const

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
  const limits = { clock, notices, ttlMs: MINUTE_MS }
  const templates = createKnown<InForce>({
    ...limits,
    topic: TOPICS.org,
    entriesMax: TEMPLATES_MAX,
  })
  const exemptions = createKnown<boolean>({
    ...limits,
    topic: TOPICS.agent,
    entriesMax: EXEMPTIONS_MAX,
  })
  const partsOf = { org: templates, agent: exemptions }

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
      const readOrg = async () => (await store.findInForce(orgId)) ?? NOTHING
      const ofOrg = templates.get(orgId) ?? (await templates.load(orgId, readOrg))
      // Most organisations have none, and their agents are not asked about.
      if (ofOrg.template === undefined) return ofOrg
      const readAgent = async () => (await store.findExemption(agentId))?.exempt ?? false
      const isExempt = exemptions.get(agentId) ?? (await exemptions.load(agentId, readAgent))
      return isExempt ? { version: ofOrg.version, template: undefined } : ofOrg
    },

    tell: (tx: Db, { kind, id }: Part): Promise<void> => partsOf[kind].tell(tx, id),
    forget: ({ kind, id }: Part): void => partsOf[kind].forget(id),
  }
}
