import { roleAllows } from '../../../access.ts'
import type { Actor, Audit } from '../../../audit.ts'
import { type Clock, DAY_MS, later } from '../../../kernel/clock.ts'
import type { Page, PageRequest } from '../../../kernel/db.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { newId, newToken, type OrgId, tokenHash } from '../../../kernel/ids.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { Mailer, Organisations, Plans } from './ports.ts'
import { createInvitationStore, type Invitation, type InvitedRole, type Status } from './store.ts'

/** spec: platform §4.2. */
const VALID_DAYS = 7
const PENDING_MAX = 100
/** spec: platform §6.3. */
const ENDED_KEPT_DAYS = 90

export type Invitee = { userId: string; email: string | null; emailVerified: boolean }

export type Accepted = {
  orgId: string
  orgName: string
  role: InvitedRole
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
  return {
    /** The e-mail has a token that the inviter never sees: whoever has it has read that mail. */
    async invite(input: NewInvitation): Promise<{ invitation: Invitation; token: string }> {
      const members = await deps.orgs.listMembers(input.orgId)
      if (members.some((member) => member.email === input.email)) {
        throw new Problem('conflict', 'This person is already a member.')
      }
      const tokens = { shown: newToken('tsi_'), mailed: newToken('tsi_') }
      const invitation = await transact(deps.db, (tx) => createInvitation(deps, tx, input, tokens))
      return { invitation, token: tokens.shown }
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

    /** Whether the token is that of an e-mail, so that its holder has read mail to the address. */
    isMailed: (tx: Db, token: string): Promise<boolean> =>
      createInvitationStore(tx).isMailedToken(tokenHash(token)),

    /**
     * In the transaction of a sign-up with the invited address, which the token alone permits. The
     * address counts as verified only with the token of the e-mail.
     */
    acceptIn: (
      tx: Db,
      token: string,
      invitee: Omit<Invitee, 'emailVerified'>,
      actor: Actor,
    ): Promise<Accepted> => acceptIn(deps, tx, token, { invitee, actor }),

    async accept(
      token: string,
      invitee: Invitee,
      actor: Actor,
    ): Promise<Accepted & { personalSubscriptionWarning: string | null }> {
      const accepted = await transact(deps.db, (tx) =>
        acceptIn(deps, tx, token, { invitee, actor, isVerified: invitee.emailVerified }),
      )
      const warning = await subscriptionWarning(deps, invitee.userId, accepted.orgId)
      return { ...accepted, personalSubscriptionWarning: warning }
    },

    /** Revokes the pending invitations of a deleted organisation. */
    close: async (tx: Db, orgId: OrgId, actor: Actor): Promise<void> => {
      const revoked = await createInvitationStore(tx).revokePending({ orgId }, deps.clock.now())
      await recordRevoked(deps, tx, revoked, { orgId, actor })
    },

    /** Deletes every invitation to the address of a person who deletes their account. */
    deleteFor: (tx: Db, email: string): Promise<void> =>
      createInvitationStore(tx).deleteOfEmail(email),

    erase: (tx: Db, orgId: OrgId): Promise<void> => createInvitationStore(tx).deleteOfOrg(orgId),

    purge: (now: Date): Promise<number> =>
      createInvitationStore(deps.db).deleteEndedBefore(later(now, -ENDED_KEPT_DAYS * DAY_MS)),
  }
}

type NewInvitation = { orgId: string; actor: Actor; email: string; role: InvitedRole }

async function createInvitation(
  deps: InvitationDeps,
  tx: Db,
  input: NewInvitation,
  tokens: { shown: string; mailed: string },
): Promise<Invitation> {
  const now = deps.clock.now()
  const store = createInvitationStore(tx)
  const inviter = await deps.orgs.roleIn(tx, input.orgId, input.actor.userId)
  const operation = input.role === 'admin' ? 'admins.manage' : 'invitations.manage'
  if (!roleAllows(inviter, operation)) {
    throw new Problem(
      'forbidden',
      `Your role (${inviter}) does not allow inviting somebody as ${input.role}.`,
    )
  }
  const { orgId, email, actor } = input
  await recordRevoked(deps, tx, await store.revokePending({ orgId, email }, now), { orgId, actor })
  if ((await store.countPending(input.orgId, now)) >= PENDING_MAX) {
    throw new Problem(
      'limit_reached',
      `An organisation can have at most ${PENDING_MAX} pending invitations.`,
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
  await store.insert(invitation, {
    shown: tokenHash(tokens.shown),
    mailed: tokenHash(tokens.mailed),
  })
  await recordChange(deps, tx, 'invitation.created', input.actor, invitation)
  const org = await deps.orgs.find(tx, input.orgId)
  await deps.mailer.queue(tx, {
    kind: 'invitation',
    to: input.email,
    subject: `Invitation to join ${org?.name ?? 'an organisation'} on Touchstone`,
    text: invitationText(deps.baseUrl, invitation, org?.name ?? input.orgId, tokens.mailed),
  })
  return invitation
}

/** Puts the token on a separate line, so that no mail encoding breaks it. */
function invitationText(
  baseUrl: string,
  invitation: Invitation,
  orgName: string,
  token: string,
): string {
  return `You are invited to join "${orgName}" as ${invitation.role}.

Your invitation token:

${token}

In a browser, open ${baseUrl}/invitation and enter the token there. Or use the API:

If you have no account, sign up with the token (fields email, password, invitation_token):
POST ${baseUrl}/v1/auth/signup

If you have an account for ${invitation.email}, sign in and accept the invitation (field token):
POST ${baseUrl}/v1/orgs/invitations/accept

The invitation expires at ${invitation.expiresAt.toISOString()}.
`
}

async function acceptIn(
  deps: InvitationDeps,
  tx: Db,
  token: string,
  by: { invitee: Omit<Invitee, 'emailVerified'>; actor: Actor; isVerified?: boolean },
): Promise<Accepted> {
  const { invitee, actor } = by
  const now = deps.clock.now()
  const store = createInvitationStore(tx)
  const invitation = await store.lockByToken(tokenHash(token), now)
  if (invitation === undefined) throw new Problem('not_found', 'No such invitation.')
  if (invitation.email !== invitee.email) {
    throw new Problem('forbidden', 'The invitation is for another e-mail address.')
  }
  // Anybody can claim an address for an account of their own.
  if (by.isVerified === false) {
    throw new Problem(
      'forbidden',
      'Your e-mail address is not verified. Reset your password by e-mail, which verifies it, sign in and accept the invitation again.',
    )
  }
  if (invitation.status !== 'pending') {
    throw new Problem('gone', `The invitation is ${invitation.status}.`)
  }
  const seat = { orgId: invitation.orgId, userId: invitee.userId, role: invitation.role }
  const org = await deps.orgs.join(tx, seat)
  await store.end(invitation.invitationId, 'accepted', now)
  await recordChange(deps, tx, 'invitation.accepted', actor, invitation)
  return { orgId: org.orgId, orgName: org.name, role: invitation.role }
}

/**
 * Warns a person who pays for their own organisation and may not want to any more (spec: platform
 * §4.2).
 */
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
      ? { changes: { role: { from: null, to: invitation.role } } }
      : {}),
  })
}

async function recordRevoked(
  deps: InvitationDeps,
  tx: Db,
  invitationIds: readonly string[],
  by: { orgId: string; actor: Actor },
): Promise<void> {
  for (const id of invitationIds) {
    const target = { type: 'invitation', id }
    await deps.audit.record(tx, { ...by, action: 'invitation.revoked', target })
  }
}
