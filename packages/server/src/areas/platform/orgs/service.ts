import { type Role, roleAllows } from '../../../access.ts'
import { type Actor, type Audit, changesBetween } from '../../../audit.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { type Db, isUniqueViolation, transact } from '../../../kernel/db.ts'
import { newId, toOrgId } from '../../../kernel/ids.ts'
import { Problem } from '../../../kernel/problem.ts'
import { createDeletions, GRACE_DAYS } from './deletion-service.ts'
import { lockLive, lockSeat, noMember, noOrg } from './lock-service.ts'
import { isLastOwner, primaryOwner } from './membership.ts'
import { mailOwners } from './owner-mail-service.ts'
import type { Keys, Mailer, OwnedRows, People, SecondFactors, Subscriptions } from './ports.ts'
import { assertProtected } from './protection-service.ts'
import { assignRole } from './role-service.ts'
import {
  createOrgStore,
  type Member,
  type Membership,
  type Org,
  type OrgFields,
  type OrgView,
} from './store.ts'

export type MemberView = Member & { email: string | null }

export type OrgDeps = {
  db: Db
  clock: Clock
  audit: Audit
  people: People
  subscriptions: Subscriptions
  mailer: Mailer
  keys: Keys
  secondFactors: SecondFactors
  owned: OwnedRows
  /** Organisations that a person can own, deleted ones included until they are erased. */
  orgsPerAccountMax: number
}

export type OrgService = ReturnType<typeof createOrgService>

export function createOrgService(deps: OrgDeps) {
  const orgs = createOrgMethods(deps)
  const members = createMemberMethods(deps)
  const departures = createDepartureMethods(deps)
  const deletions = createDeletions(deps)
  return {
    create: orgs.create,
    createIn: orgs.createIn,
    listOfUser: orgs.listOfUser,
    get: orgs.get,
    find: orgs.find,
    listAccounts: orgs.listAccounts,
    exists: orgs.exists,
    membershipsOf: orgs.membershipsOf,
    update: orgs.update,

    listMembers: members.listMembers,
    emailsOf: members.emailsOf,
    assertMember: members.assertMember,
    join: members.join,
    roleIn: members.roleIn,
    changeRole: members.changeRole,
    assignRole: (tx: Db, input: Parameters<typeof assignRole>[2]): Promise<void> =>
      assignRole(deps, tx, input),
    removeMember: departures.removeMember,
    leaveAll: departures.leaveAll,

    delete: deletions.delete,
    restore: deletions.restore,
    purge: deletions.purge,
  }
}

function createOrgMethods(deps: OrgDeps) {
  const store = createOrgStore(deps.db)
  return {
    async create(actor: Actor, fields: OrgFields): Promise<OrgView> {
      return slugConflict(() => transact(deps.db, (tx) => createOrg(deps, tx, actor, fields)))
    },

    /** In the caller's transaction, such as that of the first start. */
    createIn: (tx: Db, actor: Actor, fields: OrgFields) => createOrg(deps, tx, actor, fields),

    async listOfUser(userId: string): Promise<OrgView[]> {
      return store.listOfUser(userId)
    },

    async get(orgId: string, role: Role): Promise<OrgView> {
      const org = await store.find(orgId)
      if (org === undefined) throw noOrg()
      return { org, role, memberCount: org.memberCount }
    },

    find: (db: Db, orgId: string) => createOrgStore(db).find(orgId),

    /** Every organisation that is not deleted, with the account that its events are sent to. */
    listAccounts: (db: Db) => createOrgStore(db).listAccounts(),

    /** True for a deleted organisation, too, until it is erased. */
    exists: (orgId: string): Promise<boolean> => store.exists(orgId),

    membershipsOf: (userId: string): Promise<Membership[]> => store.membershipsOf(userId),

    async update(input: {
      orgId: string
      role: Role
      actor: Actor
      changes: Partial<OrgFields & Pick<Org, 'requiresSecondFactor'>>
    }): Promise<OrgView> {
      if (input.changes.requiresSecondFactor) await assertProtected(deps.secondFactors, input.actor)
      return slugConflict(() =>
        transact(deps.db, async (tx) => {
          const orgs = createOrgStore(tx)
          const before = await lockLive(tx, input.orgId)
          const after = { ...before, ...input.changes, updatedAt: deps.clock.now() }
          await orgs.update(after)
          const { updatedAt: _, ...changes } = changesBetween(before, after)
          if (Object.keys(changes).length > 0) {
            await deps.audit.record(tx, {
              orgId: input.orgId,
              action: 'org.updated',
              actor: input.actor,
              target: { type: 'org', id: input.orgId },
              changes,
            })
          }
          const memberCount = await orgs.countMembers(input.orgId)
          return { org: after, role: input.role, memberCount }
        }),
      )
    },
  }
}

async function createOrg(deps: OrgDeps, tx: Db, actor: Actor, fields: OrgFields): Promise<OrgView> {
  await holdPerson(deps, tx, actor.userId)
  const now = deps.clock.now()
  const orgs = createOrgStore(tx)
  const org: Org = {
    ...fields,
    orgId: toOrgId(newId('org')),
    accountId: newId('ba'),
    ownerUserId: actor.userId,
    requiresSecondFactor: false,
    createdAt: now,
    updatedAt: now,
    deletedAt: null,
  }
  await orgs.lockOwner(actor.userId)
  if ((await orgs.countOwned(actor.userId)) >= deps.orgsPerAccountMax) {
    throw new Problem(
      'limit_reached',
      `You can own at most ${deps.orgsPerAccountMax} organisations. Deleted ones count until they are erased after ${GRACE_DAYS} days.`,
    )
  }
  await orgs.insert(org)
  await orgs.insertMember(org.orgId, { userId: actor.userId, role: 'owner', acceptedAt: now })
  await deps.subscriptions.open(tx, org.orgId)
  await deps.audit.record(tx, {
    orgId: org.orgId,
    action: 'org.created',
    actor,
    target: { type: 'org', id: org.orgId },
  })
  return { org, role: 'owner', memberCount: 1 }
}

function createMemberMethods(deps: OrgDeps) {
  const store = createOrgStore(deps.db)
  return {
    async listMembers(orgId: string): Promise<MemberView[]> {
      const list = await store.listMembers(orgId)
      const emails = await deps.people.emails(
        deps.db,
        list.map((member) => member.userId),
      )
      return list.map((member) => ({ ...member, email: emails.get(member.userId) ?? null }))
    },

    /** Email addresses of the members by user id. */
    async emailsOf(orgId: string): Promise<ReadonlyMap<string, string | null>> {
      const members = await store.listMembers(orgId)
      const userIds = members.map(({ userId }) => userId)
      return deps.people.emails(deps.db, userIds)
    },

    async assertMember(orgId: string, userId: string): Promise<void> {
      if (!(await store.seats(orgId)).some((seat) => seat.userId === userId)) throw noMember()
    },

    /** Adds a person; throws `conflict` if they are a member already. */
    async join(tx: Db, input: { orgId: string; userId: string; role: Role }): Promise<Org> {
      await holdPerson(deps, tx, input.userId)
      const org = await lockLive(tx, input.orgId)
      const orgs = createOrgStore(tx)
      if ((await orgs.seats(input.orgId)).some((seat) => seat.userId === input.userId)) {
        throw new Problem('conflict', 'You are already a member of this organisation.')
      }
      const acceptedAt = deps.clock.now()
      await orgs.insertMember(input.orgId, { userId: input.userId, role: input.role, acceptedAt })
      return org
    },

    /**
     * The person's current role. Locks the organisation, so that the caller's transaction cannot
     * race with the person's removal or the organisation's deletion.
     */
    async roleIn(tx: Db, orgId: string, userId: string): Promise<Role> {
      return (await lockSeat(tx, orgId, userId)).seat.role
    },

    async changeRole(input: {
      orgId: string
      userId: string
      role: Role
      actor: Actor
    }): Promise<Role> {
      return transact(deps.db, async (tx) => {
        const { org, seat, seats } = await lockSeat(tx, input.orgId, input.userId)
        if (input.role !== 'owner' && isLastOwner(seats, input.userId)) throw lastOwner()
        if (input.role === seat.role) return seat.role
        const orgs = createOrgStore(tx)
        await orgs.setRole(input.orgId, input.userId, input.role, deps.clock.now())
        await deps.audit.record(tx, {
          orgId: input.orgId,
          action: 'member.role_changed',
          actor: input.actor,
          target: { type: 'user', id: input.userId },
          changes: { role: { from: seat.role, to: input.role } },
        })
        await settleOwnership(deps, tx, org, input.actor)
        return seat.role
      })
    },
  }
}

function createDepartureMethods(deps: OrgDeps) {
  return {
    async removeMember(input: {
      orgId: string
      userId: string
      role: Role
      actor: Actor
      revokeKeys: boolean
    }): Promise<void> {
      await transact(deps.db, async (tx) => {
        const isLeaving = input.userId === input.actor.userId
        const { org, seat, seats } = await lockSeat(tx, input.orgId, input.userId)
        if (!isLeaving) assertCanRemove(input.role, seat.role)
        if (isLastOwner(seats, input.userId)) throw lastOwner()
        await createOrgStore(tx).deleteMember(input.orgId, input.userId)
        if (input.revokeKeys) await deps.keys.revokeOf(tx, input, input.actor)
        await deps.audit.record(tx, {
          orgId: input.orgId,
          action: isLeaving ? 'member.left' : 'member.removed',
          actor: input.actor,
          target: { type: 'user', id: input.userId },
          changes: { role: { from: seat.role, to: null } },
        })
        await settleOwnership(deps, tx, org, input.actor)
      })
    },

    /** Removes a person from all organisations before their account is erased. */
    async leaveAll(tx: Db, userId: string, actor: Actor): Promise<void> {
      for (const membership of await createOrgStore(tx).membershipsOf(userId)) {
        const { org, seats } = await lockSeat(tx, membership.orgId, userId)
        if (isLastOwner(seats, userId)) throw lastOwner()
        await createOrgStore(tx).deleteMember(org.orgId, userId)
        await deps.audit.record(tx, {
          orgId: org.orgId,
          action: 'member.left',
          actor,
          target: { type: 'user', id: userId },
        })
        await settleOwnership(deps, tx, org, actor)
      }
      // Deleted organisations that are not erased yet need no owner, so these seats just go.
      await createOrgStore(tx).deleteMemberEverywhere(userId)
    },
  }
}

async function holdPerson(deps: OrgDeps, tx: Db, userId: string): Promise<void> {
  if (await deps.people.hold(tx, userId)) return
  throw new Problem('conflict', 'This account is being deleted.')
}

async function settleOwnership(deps: OrgDeps, tx: Db, org: Org, actor: Actor): Promise<void> {
  const orgs = createOrgStore(tx)
  const ownerUserId = primaryOwner(await orgs.seats(org.orgId), org.ownerUserId)
  if (ownerUserId === org.ownerUserId) return
  await orgs.update({ ...org, ownerUserId, updatedAt: deps.clock.now() })
  await deps.audit.record(tx, {
    orgId: org.orgId,
    action: 'org.owner_changed',
    actor,
    target: { type: 'org', id: org.orgId },
    changes: { owner_user_id: { from: org.ownerUserId, to: ownerUserId } },
  })
  await mailOwners(deps, tx, org, {
    kind: 'ownership_change',
    subject: `${org.name} has a new primary owner`,
    text: `The primary owner of the organisation "${org.name}" (${org.orgId}) is now ${ownerUserId}.`,
  })
}

function assertCanRemove(remover: Role, removed: Role): void {
  const operation = removed === 'owner' || removed === 'admin' ? 'admins.manage' : 'members.remove'
  if (roleAllows(remover, operation)) return
  throw new Problem(
    'forbidden',
    `Your role (${remover}) does not allow removing a member with role ${removed}.`,
  )
}

async function slugConflict<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (err) {
    if (!isUniqueViolation(err, 'org_slug_unique')) throw err
    throw new Problem('conflict', 'This slug is taken. Choose another.', { cause: err })
  }
}

function lastOwner(): Problem {
  return new Problem(
    'last_owner',
    'An organisation must have an owner. Make another member an owner first.',
  )
}
