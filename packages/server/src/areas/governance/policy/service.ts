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
import {
  type CardPart,
  type Compiled,
  type CompiledDeps,
  type CompiledPolicies,
  createCompiledPolicies,
  type Standing,
  standingOf,
} from './compiled-service.ts'
import { isGeneratedCard } from './generated-card.ts'
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

export type PolicyDeps = CompiledDeps & { audit: Audit; agents: Agents; teams: Teams }

/** Who writes to whose policy, in which organisation, and what they believe it to be. */
export type PolicyWrite = { owner: Owner; orgId: string; actor: Actor; precondition: Precondition }

type AgentOf = { orgId: string; agentId: string }

export type SavedPolicy = { stored: StoredPolicy; warnings: PolicyOutcome['warnings'] }

export type PolicyService = ReturnType<typeof createPolicyService>

export function createPolicyService(deps: PolicyDeps) {
  const compiled = createCompiledPolicies(deps)
  return {
    ...reading(deps),
    ...judging(deps),
    ...changing(deps, compiled),
    ...ending(compiled),
    /** For evaluations: from memory, unless something changed. */
    standing: compiled.find,
    onStandingChange: compiled.onChange,
    /** About as much memory as it takes, for whoever caches it. */
    bytesOf: compiled.bytesOf,

    /** Nothing without any layer. */
    compiled: async (orgId: string, agentId: string): Promise<Compiled | undefined> =>
      (await compiled.find(orgId, agentId)).policy,
  }
}

function reading(deps: PolicyDeps) {
  const store = createPolicyStore(deps.db)
  const resolve = async (db: Db, agent: AgentOf): Promise<Resolution | undefined> =>
    resolutionOf(agent.agentId, await createPolicyStore(db).findLayers(agent))
  return {
    async get(owner: Owner): Promise<StoredPolicy> {
      const last = await store.findLast(owner)
      if (!isStored(last)) throw noPolicy()
      return last
    },

    async getVersion(owner: Owner, version: number): Promise<StoredPolicy> {
      const found = await store.find(owner, version)
      if (isStored(found)) return found
      throw new Problem(
        'not_found',
        found === undefined
          ? 'No such version of the policy.'
          : `Version ${version} is the deletion of the policy; it has no document.`,
      )
    },

    async history(owner: Owner, page: PageRequest): Promise<Page<PolicyVersion>> {
      const versions = await store.list(owner, page)
      if (versions.total === 0) throw new Problem('not_found', 'There never was a policy.')
      return versions
    },

    /** What these teams lay down now; those that lay down nothing are left out. */
    async teamPolicies(
      db: Db,
      teamIds: readonly string[],
    ): Promise<ReadonlyMap<string, PolicyDocument>> {
      const owners = teamIds.map((id): Owner => ({ kind: 'team', id }))
      const found = (await createPolicyStore(db).listLast(owners)).filter(isStored)
      return new Map(found.map((stored) => [stored.owner.id, stored.document]))
    },

    /** Nothing when no layer has a policy. */
    resolve,

    async getResolved(agent: AgentOf) {
      const resolution = await resolve(deps.db, agent)
      if (resolution === undefined) {
        throw new Problem('not_found', 'Neither the agent nor its organisation has a policy.')
      }
      return { ...agent, resolution, resolvedAt: deps.clock.now() }
    },
  }
}

function judging(deps: PolicyDeps) {
  return {
    /** Stores nothing. What it says of itself decides what it is held against. */
    async validate(orgId: string, input: unknown): Promise<PolicyOutcome> {
      return validatePolicy(input, { org: await findDocument(deps.db, { kind: 'org', id: orgId }) })
    },

    /**
     * What the agent would be held to if this were its policy. Throws as a write of it would, with
     * the places of faults in a body that has it as `policy`.
     */
    async candidate({ orgId, agentId }: AgentOf, input: unknown): Promise<Standing> {
      const agent = await draftOf(deps, input, { owner: { kind: 'agent', id: agentId }, orgId })
      const org = await createPolicyStore(deps.db).findLast({ kind: 'org', id: orgId })
      const held = await deps.cards.find(agentId)
      return standingOf(agentId, { org, agent }, held)
    },

    /** The same if it were the organisation's, which each of its agents is held to. */
    async orgCandidate(orgId: string, input: unknown) {
      const owner = { kind: 'org', id: orgId } as const
      const org = await draftOf(deps, input, { owner, orgId })
      const store = createPolicyStore(deps.db)
      return {
        draft: org.document,
        current: await findDocument(deps.db, owner),
        async standing(agentId: string): Promise<Standing> {
          const { agent } = await store.findLayers({ orgId, agentId })
          const held = await deps.cards.find(agentId)
          return standingOf(agentId, { org, agent }, held)
        },
      }
    },
  }
}

/** As a version that is stored nowhere. */
async function draftOf(
  deps: PolicyDeps,
  input: unknown,
  { owner, orgId }: Pick<PolicyWrite, 'owner' | 'orgId'>,
): Promise<StoredPolicy> {
  const { policy: document } = await accept(deps, input, { owner, orgId, at: '/policy' })
  const now = deps.clock.now()
  return {
    owner,
    document,
    version: 0,
    policyId: 'candidate',
    updatedBy: '',
    // Nobody has switched anything on with it yet.
    enforceSince: null,
    createdAt: now,
    updatedAt: now,
  }
}

function changing(deps: PolicyDeps, compiled: CompiledPolicies) {
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
      await compiled.tell(tx, owner)
      await deps.audit.record(tx, {
        orgId,
        action: next.document === null ? 'policy.deleted' : 'policy.updated',
        actor,
        target: { type: owner.kind, id: owner.id },
        changes: { version: { from: before?.version ?? null, to: next.version } },
      })
      return next
    })
    compiled.forget(owner)
    return written
  }
  return {
    async replace(input: unknown, to: PolicyWrite): Promise<SavedPolicy> {
      const { policy, warnings } = await accept(deps, input, to)
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
        if (!isStored(before)) throw noPolicy()
        assertPrecondition(of.precondition, before.version)
        return deletionOf(before, { at: deps.clock.now(), by: of.actor.userId })
      })
    },

    /** In the transaction that gives an agent another card. */
    cardChanged: (tx: Db, agentId: string): Promise<void> =>
      compiled.tell(tx, { kind: 'card', id: agentId }),

    /** In the transaction that changes what an organisation lays over cards, or over one of them. */
    layerChanged: (tx: Db, part: CardPart): Promise<void> => compiled.tell(tx, part),

    /** Once that is through, so that it holds here at once. */
    forgetLayer: (part: CardPart): void => compiled.forget(part),
  }
}

function ending(compiled: CompiledPolicies) {
  const erase = async (tx: Db, owner: Owner): Promise<void> => {
    await createPolicyStore(tx).deleteOf(owner)
    await compiled.tell(tx, owner)
  }
  return {
    /** With the agent. */
    erase: (tx: Db, agentId: AgentId): Promise<void> => erase(tx, { kind: 'agent', id: agentId }),
    /** With the organisation, whose agents go by themselves. */
    eraseOrg: (tx: Db, orgId: OrgId): Promise<void> => erase(tx, { kind: 'org', id: orgId }),
    eraseTeam: (tx: Db, teamId: TeamId): Promise<void> => erase(tx, { kind: 'team', id: teamId }),
  }
}

/** Judged before anything is locked: a card or organisation that changes meanwhile only warns. */
async function accept(
  deps: PolicyDeps,
  input: unknown,
  { owner, orgId, at = '' }: Pick<PolicyWrite, 'owner' | 'orgId'> & { at?: string },
) {
  const around = await surroundings(deps, owner, orgId)
  const outcome = validatePolicy(input, { scope: owner.kind, ...around })
  if (outcome.valid) return outcome
  const first = outcome.errors[0]
  const message =
    first === undefined ? 'The policy is not valid.' : `policy${first.path}: ${first.message}`
  const details = outcome.errors.map((error) => ({ ...error, path: `${at}${error.path}` }))
  throw new Problem(outcome.problem, message, { details })
}

/** An agent or team stands below its organisation; an agent has a card besides. */
async function surroundings({ db, cards }: PolicyDeps, { kind, id }: Owner, orgId: string) {
  if (kind === 'org') return {}
  const org = await findDocument(db, { kind: 'org', id: orgId })
  if (kind === 'team') return { org }
  const held = await cards.find(id)
  const isDeclared = held !== undefined && !isGeneratedCard(id, held.declared)
  return { card: isDeclared ? held.card : undefined, org }
}

async function findDocument(db: Db, owner: Owner): Promise<PolicyDocument | undefined> {
  return (await createPolicyStore(db).findLast(owner))?.document ?? undefined
}

function noPolicy(): Problem {
  return new Problem('not_found', 'There is no policy.')
}
