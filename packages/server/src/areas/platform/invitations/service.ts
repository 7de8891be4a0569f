import { type Role, roleAllows } from '../../../access.ts'
import type { Actor, Audit } from '../../../kernel/audit.ts'
import { type Clock, DAY_MS, later } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { newId, newToken, tokenHash } from '../../../kernel/ids.ts'
import type { Page, PageRequest } from '../../../kernel/page.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { Mailer, Organisations, Plans } from './ports.ts'
import { createInvitationStore, type Invitation, type InvitedRole, type Status } from './store.ts'

/** 04 §4.2. */
const VALID_DAYS = 7
const PENDING_MAX = 100
/** 04 §7.3. */
const ENDED_KEPT_DAYS = 90

export type Invitee = { userId: string; email: string | null }

export type Accepted = {
  orgId: string
  orgName: string
  role: InvitedRole
  personalSubscriptionWarning: string | null
}

export type InvitationDeps = {
  db: Db
  clock: Clock
  audit: Audit
  orgs: Organisations
  plans: Plans
  mailer: Mailer
  baseUrl: string
}

export type InvitationService = ReturnType<typeof createInvitationService>

export function createInvitationService(deps: InvitationDeps) {
  return { ...inviting(deps), ...accepting(deps), ...ending(deps) }
}

function inviting(deps: InvitationDeps) {
  return {
    async invite(input: {
      orgId: string
      inviter: Role
      actor: Actor
      email: string
      role: InvitedRole
    }): Promise<{ invitation: Invitation; token: string }> {
      if (input.role === 'admin' && !roleAllows(input.inviter, 'admins.manage')) {
        throw new Problem('forbidden', 'Only an owner may invite admins.')
      }
      const members = await deps.orgs.listMembers(input.orgId)
      if (members.some((member) => member.email === input.email)) {
        throw new Problem('conflict', 'This person is already a member.')
      }
      const org = await deps.orgs.find(input.orgId)
      if (org === undefined) throw new Problem('not_found', 'No such organisation.')
      const token = newToken('tsi_')
      const invitation = await transact(deps.db, (tx) => write(deps, tx, input, token))
      return { invitation, token }
    },

    list: (orgId: string, status: Status, request: PageRequest): Promise<Page<Invitation>> =>
      createInvitationStore(deps.db).list(orgId, status, request, deps.clock.now()),

    async revoke(orgId: string, invitationId: string, actor: Actor): Promise<void> {
      await transact(deps.db, async (tx) => {
        const store = createInvitationStore(tx)
        const invitation = await store.lock(orgId, invitationId, deps.clock.now())
        if (invitation === undefined) throw new Problem('not_found', 'No such invitation.')
        if (invitation.status !== 'pending') {
          throw new Problem('conflict', `The invitation is ${invitation.status}, not pending.`)
        }
        await store.end(invitationId, 'revoked', deps.clock.now())
        await recordChange(deps, tx, 'invitation.revoked', actor, invitation)
      })
    },
  }
}

async function write(
  deps: InvitationDeps,
  tx: Db,
  input: { orgId: string; actor: Actor; email: string; role: InvitedRole },
  token: string,
): Promise<Invitation> {
  const now = deps.clock.now()
  const store = createInvitationStore(tx)
  await store.lockOrg(input.orgId)
  await store.revokePending({ orgId: input.orgId, email: input.email }, now)
  if ((await store.countPending(input.orgId, now)) >= PENDING_MAX) {
    throw new Problem(
      'limit_reached',
      `An organisation has at most ${PENDING_MAX} pending invitations.`,
    )
  }
  const invitation: Invitation = {
    invitationId: newId('inv'),
    orgId: input.orgId,
    email: input.email,
    role: input.role,
    status: 'pending',
    invitedBy: input.actor.userId,
    createdAt: now,
    expiresAt: later(now, VALID_DAYS * DAY_MS),
  }
  await store.insert(invitation, tokenHash(token))
  await recordChange(deps, tx, 'invitation.created', input.actor, invitation)
  const org = await deps.orgs.find(input.orgId)
  await deps.mailer.queue(tx, {
    kind: 'invitation',
    to: input.email,
    subject: `You are invited to ${org?.name ?? 'an organisation'} on Touchstone`,
    text: `You are invited to join "${org?.name ?? input.orgId}" as ${input.role}.\n\nAccept: ${deps.baseUrl}/invitations/accept?token=${token}\n\nOr by API, signed in with this address: POST ${deps.baseUrl}/v1/orgs/invitations/accept with {"token":"${token}"}.\n\nThe invitation ends ${invitation.expiresAt.toISOString()}.\n`,
  })
  return invitation
}

function accepting(deps: InvitationDeps) {
  /** As part of a larger change, such as signing up. */
  const acceptIn = async (
    tx: Db,
    token: string,
    invitee: Invitee,
    actor: Actor,
  ): Promise<Accepted> => {
    const now = deps.clock.now()
    const store = createInvitationStore(tx)
    const invitation = await store.lockByToken(tokenHash(token), now)
    if (invitation === undefined) throw new Problem('not_found', 'No such invitation.')
    if (invitation.email !== invitee.email) {
      throw new Problem('forbidden', 'The invitation is for another e-mail address.')
    }
    if (invitation.status !== 'pending') {
      throw new Problem('gone', `The invitation is ${invitation.status}.`)
    }
    const seat = { orgId: invitation.orgId, userId: invitee.userId, role: invitation.role }
    const org = await deps.orgs.join(tx, seat)
    await store.end(invitation.invitationId, 'accepted', now)
    await recordChange(deps, tx, 'invitation.accepted', actor, invitation)
    return {
      orgId: org.orgId,
      orgName: org.name,
      role: invitation.role,
      personalSubscriptionWarning: await subscriptionWarning(deps, invitee.userId, org.orgId),
    }
  }
  return {
    acceptIn,
    accept: (token: string, invitee: Invitee, actor: Actor): Promise<Accepted> =>
      transact(deps.db, (tx) => acceptIn(tx, token, invitee, actor)),
  }
}

function ending(deps: InvitationDeps) {
  return {
    close: async (tx: Db, orgId: string): Promise<void> => {
      await createInvitationStore(tx).revokePending({ orgId }, deps.clock.now())
    },
    erase: (tx: Db, orgId: string): Promise<void> => createInvitationStore(tx).deleteOfOrg(orgId),
    purge: (now: Date): Promise<number> =>
      createInvitationStore(deps.db).deleteEndedBefore(later(now, -ENDED_KEPT_DAYS * DAY_MS)),
  }
}

/** A person who pays for an organisation of their own may not mean to go on paying (04 §4.2). */
async function subscriptionWarning(
  deps: InvitationDeps,
  userId: string,
  joinedOrgId: string,
): Promise<string | null> {
  const own = (await deps.orgs.listOfUser(userId))
    .map(({ org }) => org)
    .filter((org) => org.ownerUserId === userId && org.orgId !== joinedOrgId)
  for (const org of own) {
    if (await deps.plans.isPaid(org.orgId)) {
      return `You are the primary owner of "${org.name}", which keeps its own paid plan.`
    }
  }
  return null
}

function recordChange(
  deps: InvitationDeps,
  tx: Db,
  action: string,
  actor: Actor,
  invitation: Invitation,
): Promise<void> {
  return deps.audit.record(tx, {
    orgId: invitation.orgId,
    action,
    actor,
    target: { type: 'invitation', id: invitation.invitationId },
    ...(action === 'invitation.created'
      ? {
          changes: {
            email: { from: null, to: invitation.email },
            role: { from: null, to: invitation.role },
          },
        }
      : {}),
  })
}
