import { isGeneratedCard } from '@touchstone/protocol/cards'
import { hashCanonical } from '@touchstone/protocol/crypto'
import {
  type PolicyDocument,
  type PolicyOutcome,
  validatePolicy,
} from '@touchstone/protocol/policy'
import type { Actor, Audit } from '../../../audit.ts'
import type { Page, PageRequest } from '../../../kernel/db.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { type AgentId, newId, type OrgId, type TeamId } from '../../../kernel/ids.ts'
import { assertPrecondition, type Precondition, Problem } from '../../../kernel/problem.ts'
import type { LogQueue, LogRecord } from '../../../log-record.ts'
import {
  type CardPart,
  type Compiled,
  type CompiledDeps,
  type CompiledPolicies,
  createCompiledPolicies,
  type EffectiveRules,
  effectiveRulesOf,
} from './compiled-service.ts'
import {
  deletionOf,
  isStored,
  nextVersion,
  type Owner,
  type PolicyVersion,
  type StoredPolicy,
} from './policy-version.ts'
import type { Agents, Teams } from './ports.ts'
import { type Resolution, resolutionOf } from './resolution.ts'
import { createPolicyStore } from './store.ts'

export type PolicyDeps = CompiledDeps & {
  audit: Audit
  agents: Agents
  teams: Teams
  log: LogQueue
}

/** A write to a policy: its owner and organisation, the actor and the precondition. */
export type PolicyWrite = { owner: Owner; orgId: string; actor: Actor; precondition: Precondition }

type AgentRef = { orgId: string; agentId: string }

export type PolicyLayers = {
  org: PolicyDocument | undefined
  agent: PolicyDocument | undefined
  card: EffectiveRules['card']
}

export type SavedPolicy = { stored: StoredPolicy; warnings: PolicyOutcome['warnings'] }

export type PolicyService = ReturnType<typeof createPolicyService>

export function createPolicyService(deps: PolicyDeps) {
  const store = createPolicyStore(deps.db)
  const compiled = createCompiledPolicies(deps)
  const drafts = createDrafts(deps)
  const writes = createWrites(deps, compiled)
  const erase = async (tx: Db, owner: Owner): Promise<void> => {
    await createPolicyStore(tx).deleteOf(owner)
    await compiled.invalidate(tx, owner)
  }
  return {
    async get(owner: Owner): Promise<StoredPolicy> {
      const last = await store.findLast(owner)
      if (!isStored(last)) throw policyNotFound()
      return last
    },

    async getVersion(owner: Owner, version: number): Promise<StoredPolicy> {
      const found = await store.find(owner, version)
      if (isStored(found)) return found
      throw new Problem(
        'not_found',
        found === undefined
          ? 'No such version of the policy.'
          : `Version ${version} is the deletion of the policy and has no document.`,
      )
    },

    async history(owner: Owner, page: PageRequest): Promise<Page<PolicyVersion>> {
      const versions = await store.list(owner, page)
      if (versions.total === 0) throw new Problem('not_found', 'No policy has ever been set.')
      return versions
    },

    /** The current documents of these teams, without teams that have none. */
    async teamPolicies(
      db: Db,
      teamIds: readonly string[],
    ): Promise<ReadonlyMap<string, PolicyDocument>> {
      const owners = teamIds.map((id): Owner => ({ kind: 'team', id }))
      const found = (await createPolicyStore(db).listLast(owners)).filter(isStored)
      return new Map(found.map((stored) => [stored.owner.id, stored.document]))
    },

    /** Returns undefined if no layer has a policy. */
    resolve,

    async getResolved(agent: AgentRef) {
      const resolution = await resolve(deps.db, agent)
      if (resolution === undefined) {
        throw new Problem('not_found', 'Neither the agent nor its organisation has a policy.')
      }
      return { ...agent, resolution, resolvedAt: deps.clock.now() }
    },

    /** The current documents of both layers and the card they are checked against. */
    async layersOf(agent: AgentRef): Promise<PolicyLayers> {
      const { org, agent: own } = await store.findLayers(agent)
      const { card } = await compiled.find(agent.orgId, agent.agentId)
      return {
        org: isStored(org) ? org.document : undefined,
        agent: isStored(own) ? own.document : undefined,
        card,
      }
    },

    validate: drafts.validate,
    candidate: drafts.candidate,
    orgCandidate: drafts.orgCandidate,

    /** Versions of any owners, for records that name them. */
    findVersions: (
      wanted: readonly { policyId: string; version: number }[],
    ): Promise<PolicyVersion[]> => createPolicyStore(deps.db).findVersions(wanted),

    replace: writes.replace,
    remove: writes.remove,

    /** The rules for evaluations, cached until a change. */
    effectiveRules: compiled.find,
    onRulesChange: compiled.onChange,
    /** Estimated memory use, for caches of other features. */
    bytesOf: compiled.bytesOf,

    /** Returns undefined if no layer has a policy. */
    compiled: async (orgId: string, agentId: string): Promise<Compiled | undefined> =>
      (await compiled.find(orgId, agentId)).policy,

    /** Runs in the transaction that replaces the agent's card. */
    cardChanged: (tx: Db, agentId: string): Promise<void> =>
      compiled.invalidate(tx, { kind: 'card', id: agentId }),

    /** Runs in the transaction that changes an organisation's template, or an agent's exemption. */
    invalidateLayer: (tx: Db, part: CardPart): Promise<void> => compiled.invalidate(tx, part),

    /** Runs after that transaction has committed, so that this node sees the change immediately. */
    evictLayer: (part: CardPart): void => compiled.evict(part),

    /** Each runs in the transaction that erases the owner; agents are erased one by one. */
    erase: (tx: Db, agentId: AgentId): Promise<void> => erase(tx, { kind: 'agent', id: agentId }),
    eraseOrg: (tx: Db, orgId: OrgId): Promise<void> => erase(tx, { kind: 'org', id: orgId }),
    eraseTeam: (tx: Db, teamId: TeamId): Promise<void> => erase(tx, { kind: 'team', id: teamId }),
  }
}

async function resolve(db: Db, agent: AgentRef): Promise<Resolution | undefined> {
  return resolutionOf(agent.agentId, await createPolicyStore(db).findLayers(agent))
}

/** Documents that are checked or tried out without being stored. */
function createDrafts(deps: PolicyDeps) {
  return {
    /** Stores nothing. The scope in the document decides which checks apply. */
    async validate(orgId: string, input: unknown): Promise<PolicyOutcome> {
      return validatePolicy(input, { org: await findDocument(deps.db, { kind: 'org', id: orgId }) })
    },

    /**
     * The rules of the agent with this document as its policy. Throws as a write would; the paths of
     * findings refer to a body that has the document as `policy`.
     */
    async candidate({ orgId, agentId }: AgentRef, input: unknown): Promise<EffectiveRules> {
      const agent = await draftOf(deps, input, { owner: { kind: 'agent', id: agentId }, orgId })
      const org = await createPolicyStore(deps.db).findLast({ kind: 'org', id: orgId })
      return effectiveRulesOf(agentId, { org, agent }, await deps.cards.find(agentId))
    },

    /** The same with the document as the organisation's policy, for each of its agents. */
    async orgCandidate(orgId: string, input: unknown) {
      const owner = { kind: 'org', id: orgId } as const
      const org = await draftOf(deps, input, { owner, orgId })
      const store = createPolicyStore(deps.db)
      return {
        draft: org.document,
        current: await findDocument(deps.db, owner),
        async effectiveRules(agentId: string): Promise<EffectiveRules> {
          const { agent } = await store.findLayers({ orgId, agentId })
          return effectiveRulesOf(agentId, { org, agent }, await deps.cards.find(agentId))
        },
      }
    },
  }
}

/** Validates a draft and returns it as a version that is not stored. */
async function draftOf(
  deps: PolicyDeps,
  input: unknown,
  { owner, orgId }: Pick<PolicyWrite, 'owner' | 'orgId'>,
): Promise<StoredPolicy> {
  const { policy: document } = await requireValid(deps, input, { owner, orgId, at: '/policy' })
  const now = deps.clock.now()
  return {
    owner,
    document,
    version: 0,
    policyId: 'candidate',
    updatedBy: '',
    // A draft has never been in force, so it has no time since which it enforces.
    enforceSince: null,
    createdAt: now,
    updatedAt: now,
  }
}

function createWrites(deps: PolicyDeps, compiled: CompiledPolicies) {
  const write = async <Written extends PolicyVersion>(
    { owner, orgId, actor }: PolicyWrite,
    change: (before: PolicyVersion | undefined) => Written,
  ): Promise<Written> => {
    const written = await transact(deps.db, async (tx) => {
      if (owner.kind === 'agent') await deps.agents.assertOpen(tx, owner.id)
      if (owner.kind === 'team') await deps.teams.assertActive(tx, owner.id)
      const store = createPolicyStore(tx)
      await store.lock(owner)
      const before = await store.findLast(owner)
      const next = change(before)
      await store.insert(next)
      await deps.log.add(tx, [toLogRecord(next, orgId)])
      await compiled.invalidate(tx, owner)
      await deps.audit.record(tx, {
        orgId,
        action: next.document === null ? 'policy.deleted' : 'policy.updated',
        actor,
        target: { type: owner.kind, id: owner.id },
        changes: { version: { from: before?.version ?? null, to: next.version } },
      })
      return next
    })
    compiled.evict(owner)
    return written
  }
  return {
    async replace(input: unknown, to: PolicyWrite): Promise<SavedPolicy> {
      const { policy, warnings } = await requireValid(deps, input, to)
      const freshId = newId('pol')
      const stored = await write(to, (before) => {
        assertPrecondition(to.precondition, isStored(before) ? before.version : undefined)
        const change = { owner: to.owner, before, at: deps.clock.now(), by: to.actor.userId }
        return nextVersion(change, { document: policy, freshId })
      })
      return { stored, warnings }
    },

    async remove(of: PolicyWrite): Promise<void> {
      await write(of, (before) => {
        if (!isStored(before)) throw policyNotFound()
        assertPrecondition(of.precondition, before.version)
        return deletionOf(before, { at: deps.clock.now(), by: of.actor.userId })
      })
    },
  }
}

/** A deletion is a version without a document. */
function toLogRecord(stored: PolicyVersion, orgId: string): LogRecord {
  const { owner, policyId, version, document, updatedAt } = stored
  return {
    type: 'policy',
    recordId: `${policyId}/${version}`,
    orgId,
    agentId: owner.kind === 'agent' ? owner.id : null,
    record: {
      policy_id: policyId,
      version,
      scope: owner.kind,
      document_hash: document === null ? null : hashCanonical(document),
    },
    at: updatedAt,
  }
}

/**
 * Throws a Problem if the document is invalid. Runs before any lock is taken: if the card or the
 * organisation's policy changes meanwhile, only warnings can differ.
 */
async function requireValid(
  deps: PolicyDeps,
  input: unknown,
  { owner, orgId, at = '' }: Pick<PolicyWrite, 'owner' | 'orgId'> & { at?: string },
) {
  const context = await validationContext(deps, owner, orgId)
  const outcome = validatePolicy(input, { scope: owner.kind, ...context })
  if (outcome.valid) return outcome
  const first = outcome.errors[0]
  const message =
    first === undefined ? 'The policy is not valid.' : `policy${first.path}: ${first.message}`
  const details = outcome.errors.map((error) => ({ ...error, path: `${at}${error.path}` }))
  throw new Problem(outcome.problem, message, { details })
}

/** The policy of the organisation for agents and teams, and the declared card for agents. */
async function validationContext({ db, cards }: PolicyDeps, { kind, id }: Owner, orgId: string) {
  if (kind === 'org') return {}
  const org = await findDocument(db, { kind: 'org', id: orgId })
  if (kind === 'team') return { org }
  const cardInForce = await cards.find(id)
  const isDeclared = cardInForce !== undefined && !isGeneratedCard(id, cardInForce.declared)
  return { card: isDeclared ? cardInForce.card : undefined, org }
}

async function findDocument(db: Db, owner: Owner): Promise<PolicyDocument | undefined> {
  return (await createPolicyStore(db).findLast(owner))?.document ?? undefined
}

function policyNotFound(): Problem {
  return new Problem('not_found', 'No policy is set.')
}
