import { formatGatewayToken } from '@touchstone/protocol/identifiers'
import { type Actor, type Audit, changesBetween } from '../../../audit.ts'
import { type Clock, DAY_MS, HOUR_MS, later } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { type AgentId, newId, type OrgId, randomBase62, tokenHash } from '../../../kernel/ids.ts'
import type { Notices } from '../../../kernel/notices.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { SecretBox } from '../../../kernel/secrets.ts'
import type { ModelProvider } from '../../../model-turn.ts'
import {
  baseUrlOf,
  type Connection,
  type ConnectionMode,
  environmentOf,
  type OnContained,
  type OnError,
} from './connection.ts'
import { CONNECTION_TOPIC, createConnectionLookup } from './lookup-service.ts'
import type { Agents } from './ports.ts'
import { createConnectionStore } from './store.ts'
import { judgeUpstream, type Upstreams } from './upstream.ts'

const ACTIVE_MAX = 50
const PREFIX_LENGTH = 12
/** Revoked connections are kept for the audit log to refer to. */
const REVOKED_KEPT_MS = 90 * DAY_MS
const CREDENTIAL_PURPOSE = 'model_connection.credential'

export type ConnectionDeps = {
  db: Db
  clock: Clock
  audit: Audit
  notices: Notices
  secrets: SecretBox
  agents: Agents
  baseUrl: string
  upstreams: Upstreams
  onError(err: unknown): void
}

export type NewConnection = {
  name: string
  provider: ModelProvider
  upstreamUrl: string | undefined
  /** Undefined to pass the client's own credential through. */
  credential: string | undefined
  onContained: OnContained
  onError: OnError
  mode: ConnectionMode
}

export type ConnectionChange = {
  name?: string | undefined
  onContained?: OnContained | undefined
  onError?: OnError | undefined
  mode?: ConnectionMode | undefined
}

/** The agent of a connection and the organisation that owns it. */
export type Owner = { orgId: OrgId; accountId: string; agentId: string }

export type ConnectionWithToken = {
  connection: Connection
  token: string
  baseUrl: string
  environment: Readonly<Record<string, string>>
}

export type ConnectionService = ReturnType<typeof createConnectionService>

export function createConnectionService(deps: ConnectionDeps) {
  const store = createConnectionStore(deps.db)
  const lookup = createConnectionLookup(deps)

  return {
    recognise: lookup.recognise,

    /** The provider's key, if the gateway holds it. */
    credentialOf: ({ sealedCredential, connectionId }: Connection): string | undefined =>
      sealedCredential === null
        ? undefined
        : deps.secrets.open(sealedCredential, purposeOf(connectionId)),

    create: (owner: Owner, wanted: NewConnection, actor: Actor): Promise<ConnectionWithToken> =>
      transact(deps.db, (tx) => createIn(deps, tx, owner, wanted, actor)),

    list: (owner: Owner): Promise<Connection[]> => store.list(owner),

    get: (owner: Owner, connectionId: string): Promise<Connection> =>
      getWithin(deps.db, owner, connectionId),

    change: (
      owner: Owner,
      connectionId: string,
      { actor, ...change }: ConnectionChange & { actor: Actor },
    ) =>
      transact(deps.db, async (tx): Promise<Connection> => {
        const before = await getWithin(tx, owner, connectionId)
        const after: Connection = {
          ...before,
          name: change.name ?? before.name,
          onContained: change.onContained ?? before.onContained,
          onError: change.onError ?? before.onError,
          mode: change.mode ?? before.mode,
        }
        const changes = changesBetween(settingsOf(before), settingsOf(after))
        if (Object.keys(changes).length === 0) return before
        await createConnectionStore(tx).update(after)
        await invalidate(deps, tx, [connectionId])
        await deps.audit.record(tx, { ...entryOf('changed', after, actor), changes })
        return after
      }),

    async revoke(owner: Owner, connectionId: string, actor: Actor): Promise<void> {
      await transact(deps.db, async (tx) => {
        const connection = await getWithin(tx, owner, connectionId)
        await createConnectionStore(tx).revoke(connection, deps.clock.now())
        await invalidate(deps, tx, [connectionId])
        await deps.audit.record(tx, entryOf('revoked', connection, actor))
      })
    },

    rotate: (
      owner: Owner,
      connectionId: string,
      { graceHours, actor }: { graceHours: number; actor: Actor },
    ): Promise<ConnectionWithToken> =>
      transact(deps.db, async (tx) => {
        const before = await getWithin(tx, owner, connectionId)
        const token = formatGatewayToken(randomBase62(32))
        const connection = { ...before, ...tokenFields(token) }
        const connections = createConnectionStore(tx)
        await connections.update(connection)
        if (graceHours > 0) {
          await connections.insertFormer(before, later(deps.clock.now(), graceHours * HOUR_MS))
        } else {
          // Without a grace period the token may have leaked, so all former tokens stop working.
          await connections.deleteFormers(before)
        }
        await invalidate(deps, tx, [connectionId])
        await deps.audit.record(tx, entryOf('rotated', connection, actor))
        return withToken(deps, connection, token)
      }),

    /** Revokes the connections of archived agents. Restoring an agent does not restore them. */
    async revokeOfAgents(tx: Db, agentIds: readonly AgentId[]): Promise<void> {
      const revoked = await createConnectionStore(tx).revokeOfAgents(agentIds, deps.clock.now())
      await invalidate(deps, tx, revoked)
    },

    async eraseOfAgent(tx: Db, agentId: AgentId): Promise<void> {
      await invalidate(deps, tx, await createConnectionStore(tx).deleteOfAgent(agentId))
    },

    erase: (tx: Db, orgId: OrgId): Promise<void> => createConnectionStore(tx).deleteOfOrg(orgId),

    purge: (now: Date): Promise<number> => store.deleteEnded(later(now, -REVOKED_KEPT_MS)),
  }
}

async function createIn(
  deps: ConnectionDeps,
  tx: Db,
  owner: Owner,
  wanted: NewConnection,
  actor: Actor,
): Promise<ConnectionWithToken> {
  const checked = judgeUpstream(wanted.provider, wanted.upstreamUrl, deps.upstreams)
  if (!checked.ok) {
    const details = [{ path: '/upstream_url', code: 'invalid', message: checked.reason }]
    throw new Problem(checked.code, `upstream_url: ${checked.reason}`, { details })
  }
  await deps.agents.keepOpen(tx, owner)
  const connections = createConnectionStore(tx)
  if ((await connections.countActive(owner)) >= ACTIVE_MAX) {
    throw new Problem('limit_reached', `An agent can have at most ${ACTIVE_MAX} connections.`)
  }
  const token = formatGatewayToken(randomBase62(32))
  const connectionId = newId('conn')
  const { credential } = wanted
  const connection: Connection = {
    orgId: owner.orgId,
    connectionId,
    agentId: owner.agentId,
    accountId: owner.accountId,
    name: wanted.name,
    provider: wanted.provider,
    upstreamUrl: checked.upstreamUrl,
    sealedCredential:
      credential === undefined ? null : deps.secrets.seal(credential, purposeOf(connectionId)),
    onContained: wanted.onContained,
    onError: wanted.onError,
    mode: wanted.mode,
    ...tokenFields(token),
    createdBy: actor.userId,
    createdAt: deps.clock.now(),
    lastUsedAt: null,
  }
  await connections.insert(connection)
  const changes = changesBetween({}, settingsOf(connection))
  await deps.audit.record(tx, { ...entryOf('created', connection, actor), changes })
  return withToken(deps, connection, token)
}

/** The connection is part of the purpose, so that no seal can be moved to another connection. */
function purposeOf(connectionId: string): string {
  return `${CREDENTIAL_PURPOSE} ${connectionId}`
}

function withToken(
  { baseUrl: serviceUrl }: ConnectionDeps,
  connection: Connection,
  token: string,
): ConnectionWithToken {
  const baseUrl = baseUrlOf(serviceUrl, token, connection.provider)
  return { connection, token, baseUrl, environment: environmentOf(baseUrl, connection) }
}

function tokenFields(token: string) {
  return { tokenHash: tokenHash(token), tokenPrefix: token.slice(0, PREFIX_LENGTH) }
}

/** The settings that the audit log shows; never the credential. */
function settingsOf(connection: Connection): Record<string, unknown> {
  return {
    name: connection.name,
    provider: connection.provider,
    upstream_url: connection.upstreamUrl,
    credential: connection.sealedCredential === null ? 'pass_through' : 'sealed',
    on_contained: connection.onContained,
    on_error: connection.onError,
    mode: connection.mode,
  }
}

function entryOf(
  change: 'created' | 'changed' | 'rotated' | 'revoked',
  { orgId, connectionId }: Connection,
  actor: Actor,
) {
  const target = { type: 'model_connection', id: connectionId }
  return { orgId, action: `model_connection.${change}`, actor, target }
}

async function getWithin(db: Db, owner: Owner, connectionId: string): Promise<Connection> {
  const connection = await createConnectionStore(db).find(owner, connectionId)
  if (connection !== undefined) return connection
  throw new Problem('not_found', 'No such connection.')
}

/** Makes every node evict these connections from its cache after commit. */
async function invalidate(
  deps: ConnectionDeps,
  tx: Db,
  connectionIds: readonly string[],
): Promise<void> {
  for (const id of connectionIds) await deps.notices.publish(tx, CONNECTION_TOPIC, id)
}
