import type { Finding } from '@touchstone/protocol/base'
import { validateTemplate } from '@touchstone/protocol/cards'
import { type Actor, type Audit, changesBetween } from '../../../audit.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import type { AgentId, OrgId } from '../../../kernel/ids.ts'
import type { Notices } from '../../../kernel/notices.ts'
import { assertPrecondition, type Precondition, Problem } from '../../../kernel/problem.ts'
import {
  deletedTemplate,
  type Exemption,
  type ExistingTemplate,
  hasTemplate,
  nextTemplate,
  type StoredTemplate,
  type TemplateChange,
} from './card-template.ts'
import { createTemplatesInForce, type Part, type TemplatesInForce } from './in-force-service.ts'
import type { Agents, Policies } from './ports.ts'
import { createTemplateStore } from './store.ts'

export type TemplateDeps = {
  db: Db
  clock: Clock
  audit: Audit
  notices: Notices
  agents: Agents
  policies: Policies
}

/** A template as submitted; omitted fields get their defaults. */
export type Submission = {
  enabled: boolean
  cardId: string | undefined
  agentId: string | null | undefined
  issuedAt: Date | undefined
  card: unknown
  conscienceValues: unknown
}

export type TemplateWrite = { orgId: string; actor: Actor; precondition: Precondition }

export type SavedTemplate = { stored: ExistingTemplate; warnings: readonly Finding[] }

export type TemplateService = ReturnType<typeof createTemplateService>

export function createTemplateService(deps: TemplateDeps) {
  const inForce = createTemplatesInForce(deps)
  const changes = createChanges(deps, inForce)
  const exemptions = createExemptions(deps, inForce)
  const erasure = createErasure(deps, inForce)
  return {
    async get(orgId: string): Promise<ExistingTemplate> {
      const stored = await createTemplateStore(deps.db).find(orgId)
      if (!hasTemplate(stored)) throw noTemplate()
      return stored
    },

    replace: changes.replace,
    remove: changes.remove,
    setExempt: exemptions.setExempt,
    erase: erasure.erase,
    eraseOrg: erasure.eraseOrg,
    /** For readers of cards: cached until the template or exemption changes. */
    inForce: inForce.find,
  }
}

function createChanges(deps: TemplateDeps, inForce: TemplatesInForce) {
  const write = async <Written extends StoredTemplate>(
    { orgId, actor }: TemplateWrite,
    change: (at: TemplateChange) => Written,
  ): Promise<Written> => {
    const written = await transact(deps.db, async (tx) => {
      const store = createTemplateStore(tx)
      await store.lock(orgId)
      const before = await store.find(orgId)
      const after = change({ orgId, before, by: actor.userId, at: deps.clock.now() })
      await store.save(after)
      await invalidate(deps, inForce, tx, { kind: 'org', id: orgId })
      await deps.audit.record(tx, {
        orgId,
        action: after.template === null ? 'card_template.deleted' : 'card_template.updated',
        actor,
        target: { type: 'org', id: orgId },
        changes: changesBetween(audited(before), audited(after)),
      })
      return after
    })
    evict(deps, inForce, { kind: 'org', id: orgId })
    return written
  }

  return {
    async replace(submission: Submission, to: TemplateWrite): Promise<SavedTemplate> {
      const { card, conscienceValues, warnings } = accept(submission)
      const { enabled, agentId = null } = submission
      const cardId = submission.cardId ?? `tmpl-${to.orgId}`
      const stored = await write(to, (change) => {
        assertPrecondition(to.precondition, versionOf(change.before))
        const issuedAt = submission.issuedAt ?? change.at
        const template = { cardId, agentId, card, conscienceValues, issuedAt }
        return nextTemplate(change, { enabled, template })
      })
      return { stored, warnings }
    },

    async remove(of: TemplateWrite): Promise<void> {
      await write(of, (change) => {
        if (!hasTemplate(change.before)) throw noTemplate()
        assertPrecondition(of.precondition, change.before.version)
        return deletedTemplate(change.before, change)
      })
    },
  }
}

function createExemptions(deps: TemplateDeps, inForce: TemplatesInForce) {
  return {
    /** If nothing changes, nothing is written, audited or invalidated. */
    async setExempt(
      { orgId, agentId }: { orgId: string; agentId: string },
      wanted: { exempt: boolean; reason: string | null },
      actor: Actor,
    ): Promise<Exemption> {
      const exemption = await transact(deps.db, async (tx) => {
        await deps.agents.assertOpen(tx, agentId)
        const store = createTemplateStore(tx)
        const before = await store.findExemption(agentId)
        if (before?.exempt === wanted.exempt && before.reason === wanted.reason) return before
        const by = { updatedBy: actor.userId, updatedAt: deps.clock.now() }
        const after = { agentId, ...wanted, ...by }
        await store.saveExemption(after)
        await invalidate(deps, inForce, tx, { kind: 'agent', id: agentId })
        const { exempt = false, reason = null } = before ?? {}
        await deps.audit.record(tx, {
          orgId,
          action: 'card_template.exemption_changed',
          actor,
          target: { type: 'agent', id: agentId },
          changes: changesBetween({ exempt, reason }, wanted),
        })
        return after
      })
      evict(deps, inForce, { kind: 'agent', id: agentId })
      return exemption
    },
  }
}

function createErasure(deps: TemplateDeps, inForce: TemplatesInForce) {
  return {
    /** Erases the agent's exemption. */
    async erase(tx: Db, agentId: AgentId): Promise<void> {
      await createTemplateStore(tx).deleteExemption(agentId)
      await invalidate(deps, inForce, tx, { kind: 'agent', id: agentId })
    },

    /** Erases the organisation's template; exemptions are erased with their agents. */
    async eraseOrg(tx: Db, orgId: OrgId): Promise<void> {
      await createTemplateStore(tx).deleteOf(orgId)
      await invalidate(deps, inForce, tx, { kind: 'org', id: orgId })
    },
  }
}

/**
 * Notifies all nodes. The template is invalidated before the policies derived from it: in the
 * reverse order, a policy could be recompiled from the old template in between.
 */
async function invalidate(
  { policies }: TemplateDeps,
  inForce: TemplatesInForce,
  tx: Db,
  part: Part,
): Promise<void> {
  await inForce.invalidate(tx, part)
  await policies.invalidateLayer(tx, policyLayer(part))
}

function evict({ policies }: TemplateDeps, inForce: TemplatesInForce, part: Part): void {
  inForce.evict(part)
  policies.evictLayer(policyLayer(part))
}

function policyLayer({ kind, id }: Part) {
  return { kind: kind === 'org' ? ('template' as const) : ('card' as const), id }
}

/** The fields shown in the audit log, which leaves the template's text out. */
function audited(stored: StoredTemplate | undefined) {
  return { version: stored?.version ?? null, enabled: stored?.enabled ?? null }
}

function versionOf(stored: StoredTemplate | undefined): number | undefined {
  return hasTemplate(stored) ? stored.version : undefined
}

function accept({ card, conscienceValues }: Submission) {
  const outcome = validateTemplate({ card, conscienceValues })
  if (outcome.valid) {
    const { warnings } = outcome
    return { ...outcome, warnings: warnings.map(inBody) }
  }
  const [first] = outcome.errors
  const message =
    first === undefined ? 'The template is not valid.' : `template${first.path}: ${first.message}`
  throw new Problem('invalid_request', message, { details: outcome.errors.map(inBody) })
}

function inBody(finding: Finding): Finding {
  return { ...finding, path: `/template${finding.path}` }
}

function noTemplate(): Problem {
  return new Problem('not_found', 'The organisation has no card template.')
}
