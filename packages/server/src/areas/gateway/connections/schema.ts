import { type Static, Type } from 'typebox'
import { NamedEnum, NamedObject } from '../../../http/openapi/named.ts'
import { Nullable } from '../../../http/wire.ts'
import { MODEL_PROVIDERS } from '../../../model-turn.ts'
import { CONNECTION_MODES, type Connection, ON_CONTAINED, ON_ERROR } from './connection.ts'
import type { ConnectionWithToken, NewConnection } from './service.ts'

const ProviderName = NamedEnum('ModelProvider', [...MODEL_PROVIDERS])
const OnContained = (options: Type.TSchemaOptions = {}) =>
  NamedEnum('OnContained', [...ON_CONTAINED], options)
const OnError = (options: Type.TSchemaOptions = {}) =>
  NamedEnum('OnGatewayError', [...ON_ERROR], options)
const Mode = (options: Type.TSchemaOptions = {}) =>
  NamedEnum('ConnectionMode', [...CONNECTION_MODES], options)

const Name = Type.String({ minLength: 1, maxLength: 100 })

const settings = {
  on_contained: OnContained({
    description:
      'the answer while the agent is contained: refuse is an error, turn a turn of the model that says so',
  }),
  on_error: OnError({
    description: 'the end of a stream in which the gateway fails: an error, or the held bytes',
  }),
  mode: Mode({
    description:
      'observe if calls are decided and recorded, and nothing is replaced, held or refused',
  }),
}

export const NewConnectionBody = NamedObject('NewModelConnection', {
  provider: ProviderName,
  upstream_url: Type.Optional(
    Type.String({
      maxLength: 2048,
      description:
        'required for openai_compatible: the address before /v1, on an origin that the operator lists',
    }),
  ),
  credential: Type.Optional(
    Type.Union(
      [
        Type.Literal('pass_through'),
        Type.Object({
          sealed: Type.String({
            pattern: '^[\\x21-\\x7e]{1,4096}$',
            description: "the provider's key, which is never returned",
          }),
        }),
      ],
      {
        default: 'pass_through',
        description: "the client's own key, or a key that only the gateway holds",
      },
    ),
  ),
  on_contained: Type.Optional(OnContained({ default: 'refuse' })),
  on_error: Type.Optional(OnError({ default: 'fail_closed' })),
  mode: Type.Optional(Mode({ default: 'enforce' })),
  name: Type.Optional(Name),
})

export const ConnectionChanges = NamedObject(
  'ModelConnectionChanges',
  {
    name: Type.Optional(Name),
    on_contained: Type.Optional(OnContained()),
    on_error: Type.Optional(OnError()),
    mode: Type.Optional(Mode()),
  },
  { minProperties: 1 },
)

export const ConnectionParams = Type.Object({
  agent_id: Type.String(),
  connection_id: Type.String(),
})

export const ConnectionRotation = NamedObject('ModelConnectionRotation', {
  grace_hours: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 168,
      default: 0,
      description: 'how many hours the old token keeps working',
    }),
  ),
})

const record = {
  connection_id: Type.String(),
  agent_id: Type.String(),
  name: Type.String(),
  provider: ProviderName,
  upstream_url: Nullable(Type.String()),
  credential: NamedEnum('CredentialKind', ['pass_through', 'sealed']),
  ...settings,
  token_prefix: Type.String(),
  created_by: Type.String(),
  created_at: Type.String(),
  last_used_at: Nullable(Type.String()),
}

export const ConnectionRecord = NamedObject('ModelConnection', record)

export const ConnectionRecordWithToken = NamedObject(
  'ModelConnectionWithToken',
  {
    ...record,
    token: Nullable(Type.String({ description: 'shown only once; null in an idempotent replay' })),
    base_url: Nullable(
      Type.String({ description: 'contains the token; null in an idempotent replay' }),
    ),
    environment: Nullable(
      Type.Record(Type.String(), Type.String(), {
        description:
          'the environment variables of the client; they contain the token, so they are null in an idempotent replay',
      }),
    ),
  },
  { description: 'The connection and its token' },
)

export const ConnectionList = NamedObject('ModelConnectionList', {
  connections: Type.Array(ConnectionRecord),
})

export const RevokedConnection = NamedObject(
  'RevokedModelConnection',
  { revoked: Type.Literal(true), connection_id: Type.String() },
  { description: 'The connection is revoked' },
)

/** Fields that an idempotent replay returns as null. */
export const SECRET_FIELDS = ['token', 'base_url', 'environment']

export function toNewConnection(body: Static<typeof NewConnectionBody>): NewConnection {
  const { credential = 'pass_through' } = body
  return {
    name: body.name ?? 'Default',
    provider: body.provider,
    upstreamUrl: body.upstream_url,
    credential: credential === 'pass_through' ? undefined : credential.sealed,
    onContained: body.on_contained ?? 'refuse',
    onError: body.on_error ?? 'fail_closed',
    mode: body.mode ?? 'enforce',
  }
}

export function toConnectionRecord(connection: Connection) {
  return {
    connection_id: connection.connectionId,
    agent_id: connection.agentId,
    name: connection.name,
    provider: connection.provider,
    upstream_url: connection.upstreamUrl,
    credential:
      connection.sealedCredential === null ? ('pass_through' as const) : ('sealed' as const),
    on_contained: connection.onContained,
    on_error: connection.onError,
    mode: connection.mode,
    token_prefix: connection.tokenPrefix,
    created_by: connection.createdBy,
    created_at: connection.createdAt.toISOString(),
    last_used_at: connection.lastUsedAt?.toISOString() ?? null,
  }
}

export function toConnectionWithToken(made: ConnectionWithToken) {
  return {
    ...toConnectionRecord(made.connection),
    token: made.token,
    base_url: made.baseUrl,
    environment: { ...made.environment },
  }
}
