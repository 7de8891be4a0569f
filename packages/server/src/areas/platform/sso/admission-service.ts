import { type Audit, personActor, SYSTEM_ACTOR } from '../../../audit.ts'
import { createCache } from '../../../kernel/cache.ts'
import { type Clock, later, MINUTE_MS, SECOND_MS } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { newToken, tokenHash } from '../../../kernel/ids.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { SsoConfig } from './config-store.ts'
import { issuerOf } from './issuer.ts'
import type { Memberships, Origin, People } from './ports.ts'
import type { Refusal } from './refusal.ts'
import { roleOf } from './roles.ts'
import { createSsoStore, type PendingRequest } from './store.ts'

/** spec: platform §4.3. */
const CODE_MS = 60 * SECOND_MS
/** Failures that anybody can cause are recorded at most once in this time, per organisation. */
const REPEAT_MS = MINUTE_MS

/** A person as an identity provider describes them, in either protocol. */
export type Identity = {
  subject: string
  email: string
  name: string | null
  groups: readonly string[]
}

/** A refused sign-in, as the audit log of the organisation records it. */
export type Refused = { orgId: string; refusal: Refusal; origin: Origin }

export type AdmissionDeps = {
  db: Db
  clock: Clock
  audit: Audit
  baseUrl: string
  people: People
  memberships: Memberships
}

export type AdmissionService = ReturnType<typeof createAdmissionService>

/** The last steps of a sign-in, which both protocols share. */
export function createAdmissionService(deps: AdmissionDeps) {
  const recent = createCache<true>({ clock: deps.clock, entriesMax: 10_000, ttlMs: REPEAT_MS })

  const recordRefusal = ({ orgId, refusal, origin }: Refused): Promise<void> =>
    transact(deps.db, (tx) =>
      deps.audit.record(tx, {
        orgId,
        action: 'sso.sign_in_refused',
        actor: { ...SYSTEM_ACTOR, ...origin },
        target: { type: 'sso', id: orgId },
        changes: { reason: { from: null, to: refusal } },
      }),
    )

  return {
    admit: (tx: Db, input: Admission): Promise<string> => admit(deps, tx, input),

    /** Call only for statements that the identity provider signed. */
    recordRefusal,

    /** For refusals that strangers can cause, so that they cannot fill the log. */
    async recordFailure(refused: Refused): Promise<void> {
      const key = `${refused.orgId} ${refused.refusal}`
      if (recent.get(key) !== undefined) return
      recent.set(key, true)
      await recordRefusal(refused)
    },
  }
}

type Admission = {
  config: SsoConfig
  identity: Identity
  request: PendingRequest
  origin: Origin
}

/**
 * Finds or creates the person, makes them a member with the role of their groups, and returns the
 * dashboard's URL with a one-time code. A person whom an administrator removed becomes a member
 * again if they can still sign in: with single sign-on the identity provider decides who belongs,
 * so people must be removed there.
 */
async function admit(deps: AdmissionDeps, tx: Db, input: Admission): Promise<string> {
  const { config, identity, request, origin } = input
  const { orgId } = config
  const { userId } = await deps.people.findOrCreate(tx, {
    issuer: issuerOf(config.provider.protocol, orgId),
    subject: identity.subject,
    email: identity.email,
    // The organisation runs the provider and only claims the domain, so the address is unverified.
    emailVerified: false,
    name: identity.name,
    origin,
  })
  const mapped = roleOf(identity.groups, config)
  const role = mapped ?? config.defaultRole
  const actor = personActor(userId, origin)
  if (await joinOnce(deps, tx, { orgId, userId, role })) {
    const changes = { role: { from: null, to: role } }
    const target = { type: 'user', id: userId }
    await deps.audit.record(tx, { orgId, action: 'sso.member_joined', actor, target, changes })
  } else if (mapped !== undefined) {
    await deps.memberships.assignRole(tx, { orgId, userId, role: mapped, actor })
  }
  const code = newToken('tso_')
  await createSsoStore(tx).insertCode({
    codeHash: tokenHash(code),
    orgId,
    userId,
    browserHash: request.browserHash,
    expiresAt: later(deps.clock.now(), CODE_MS),
  })
  return dashboardUrl(deps.baseUrl, code, request)
}

/** Returns false if the person is a member already. */
async function joinOnce(
  deps: AdmissionDeps,
  tx: Db,
  seat: Parameters<Memberships['join']>[1],
): Promise<boolean> {
  try {
    await deps.memberships.join(tx, seat)
    return true
  } catch (err) {
    if (err instanceof Problem && err.code === 'conflict') return false
    throw err
  }
}

function dashboardUrl(baseUrl: string, code: string, request: PendingRequest): string {
  const query = new URLSearchParams({
    code,
    ...(request.returnTo === null ? {} : { return_to: request.returnTo }),
    ...(request.state === null ? {} : { state: request.state }),
  })
  return `${baseUrl}/sign-in/sso?${query}`
}
