import { Type } from 'typebox'
import { KEY_CLIENTS, type KeyClient, SCOPES, type Scope } from '../../../access.ts'
import { toCidr } from '../../../http/identity/address-list.ts'
import { NamedEnum, NamedObject } from '../../../http/openapi/named.ts'
import { Nullable } from '../../../http/wire.ts'
import { Problem } from '../../../kernel/problem.ts'
import { KEY_ROLES, type KeyRole } from './ceiling.ts'
import { isUnused } from './key-age.ts'
import type { KeyWithSecret, NewKey } from './service.ts'
import { type ApiKey, KEY_MODES, type KeyMode } from './store.ts'

const Client = (options: { description?: string; default?: string } = {}) =>
  NamedEnum('ApiKeyClient', [...KEY_CLIENTS], options)
const Mode = (options: { description?: string; default?: string } = {}) =>
  NamedEnum('ApiKeyMode', [...KEY_MODES], options)

const AllowedIps = Type.Array(Type.String({ minLength: 2, maxLength: 50 }), {
  maxItems: 20,
  description:
    'addresses and ranges, such as 203.0.113.0/24, that the key can be used from; empty for any',
})

export const NewKeyBody = NamedObject('NewOrgApiKey', {
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 100, default: 'Default' })),
  role: Type.Optional(
    NamedEnum('ApiKeyRole', [...KEY_ROLES], {
      description: 'at most your own role, which is the default',
    }),
  ),
  scopes: Type.Optional(
    Type.Array(NamedEnum('Scope', [...SCOPES]), {
      minItems: 1,
      maxItems: 10,
      uniqueItems: true,
      description: 'default: read, ingest, write and onchain',
    }),
  ),
  expires_in_days: Type.Optional(
    Nullable(
      Type.Integer({
        minimum: 1,
        maximum: 3650,
        description: 'default: 365, with agent_id never; null for never',
      }),
    ),
  ),
  client: Type.Optional(
    Client({
      default: 'api',
      description: 'the kind of program, shown as the source of decisions',
    }),
  ),
  mode: Type.Optional(
    Mode({
      default: 'enforce',
      description: 'observe if the program records decisions and does not stop calls',
    }),
  ),
  agent_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      description: 'restricts every call of the key to this agent',
    }),
  ),
  allowed_ips: Type.Optional(AllowedIps),
})

export const OwnKeyBody = NamedObject('NewApiKey', {
  ...NewKeyBody.properties,
  org_id: Type.Optional(
    Type.String({ maxLength: 200, description: 'required if you belong to several organisations' }),
  ),
})

export const KeyChanges = NamedObject(
  'ApiKeyChanges',
  { mode: Type.Optional(Mode()), allowed_ips: Type.Optional(AllowedIps) },
  { minProperties: 1 },
)

export const KeyParams = Type.Object({ key_id: Type.String() })
export const OrgKeyParams = Type.Object({ org_id: Type.String(), key_id: Type.String() })

export const RotateBody = NamedObject('ApiKeyRotation', {
  grace_hours: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 168,
      default: 0,
      description: 'how many hours the old secret keeps working',
    }),
  ),
})

const record = {
  key_id: Type.String(),
  name: Type.String(),
  org_id: Type.String(),
  key_prefix: Type.String(),
  role: NamedEnum('ApiKeyRole', [...KEY_ROLES]),
  scopes: Type.Array(NamedEnum('Scope', [...SCOPES])),
  client: Client(),
  mode: Mode(),
  agent_id: Nullable(Type.String({ description: 'the only agent that the key is for' })),
  allowed_ips: AllowedIps,
  created_by: Type.String(),
  created_at: Type.String(),
  expires_at: Nullable(Type.String()),
  last_used_at: Nullable(Type.String()),
  unused: Type.Boolean({ description: 'not used for 90 days' }),
}

export const KeyRecordWithSecret = NamedObject(
  'ApiKeyWithSecret',
  {
    ...record,
    key: Nullable(Type.String({ description: 'shown only once; null in an idempotent replay' })),
  },
  { description: 'The API key and its secret' },
)

export const KeyRecord = NamedObject('ApiKey', record)

export const KeyList = NamedObject('ApiKeyList', {
  keys: Type.Array(KeyRecord),
})
export const Revoked = NamedObject(
  'RevokedApiKey',
  {
    revoked: Type.Literal(true),
    key_id: Type.String(),
  },
  { description: 'The API key is revoked' },
)

export function toKeyRecord(key: ApiKey, now: Date) {
  return {
    key_id: key.keyId,
    name: key.name,
    org_id: key.orgId,
    key_prefix: key.prefix,
    role: key.role,
    scopes: [...key.scopes],
    client: key.client,
    mode: key.mode,
    agent_id: key.agentId,
    allowed_ips: [...key.allowedIps],
    created_by: key.createdBy,
    created_at: key.createdAt.toISOString(),
    expires_at: key.expiresAt?.toISOString() ?? null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    unused: isUnused(key, now),
  }
}

export function toKeyRecords(keys: readonly ApiKey[], now: Date) {
  return keys.map((key) => toKeyRecord(key, now))
}

export function toKeyWithSecret({ record: stored, key }: KeyWithSecret, now: Date) {
  return { ...toKeyRecord(stored, now), key }
}

export function toNewKey(body: {
  name?: string
  role?: KeyRole
  scopes?: readonly Scope[]
  expires_in_days?: number | null
  client?: KeyClient
  mode?: KeyMode
  agent_id?: string
  allowed_ips?: readonly string[]
}): NewKey {
  return {
    name: body.name ?? 'Default',
    role: body.role,
    scopes: body.scopes && SCOPES.filter((scope) => body.scopes?.includes(scope)),
    expiresInDays: body.expires_in_days,
    client: body.client,
    mode: body.mode,
    agentId: body.agent_id,
    allowedIps: toRanges(body.allowed_ips),
  }
}

/** Normalises addresses and ranges. Throws if one of them is neither. */
export function toRanges(given: readonly string[] | undefined): string[] | undefined {
  return given?.map((text, index) => {
    const cidr = toCidr(text)
    if (cidr !== undefined) return cidr
    const message = 'must be an IP address or a range such as 203.0.113.0/24'
    throw new Problem('invalid_request', `allowed_ips[${index}]: ${message}`, {
      details: [{ path: `/allowed_ips/${index}`, code: 'format', message }],
    })
  })
}
