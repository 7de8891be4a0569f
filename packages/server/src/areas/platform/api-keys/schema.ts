import { Type } from 'typebox'
import { SCOPES } from '../../../access.ts'
import { NamedEnum, NamedObject } from '../../../http/openapi/named.ts'
import { Nullable } from '../../../http/wire.ts'
import { KEY_ROLES, type KeyRole } from './ceiling.ts'
import type { KeyWithSecret, NewKey } from './service.ts'
import type { ApiKey } from './store.ts'

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
      description: 'default: all',
    }),
  ),
  expires_in_days: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 3650, description: 'default: never expires' }),
  ),
})

export const OwnKeyBody = NamedObject('NewApiKey', {
  ...NewKeyBody.properties,
  org_id: Type.Optional(
    Type.String({ maxLength: 200, description: 'required if you belong to several organisations' }),
  ),
})

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
  created_by: Type.String(),
  created_at: Type.String(),
  expires_at: Nullable(Type.String()),
  last_used_at: Nullable(Type.String()),
}

export const KeyRecordWithSecret = NamedObject(
  'ApiKeyWithSecret',
  {
    ...record,
    key: Nullable(Type.String({ description: 'shown only once; null in an idempotent replay' })),
  },
  { description: 'The API key and its secret' },
)

export const KeyList = NamedObject('ApiKeyList', {
  keys: Type.Array(NamedObject('ApiKey', record)),
})
export const Revoked = NamedObject(
  'RevokedApiKey',
  {
    revoked: Type.Literal(true),
    key_id: Type.String(),
  },
  { description: 'The API key is revoked' },
)

export function toKeyRecord(key: ApiKey) {
  return {
    key_id: key.keyId,
    name: key.name,
    org_id: key.orgId,
    key_prefix: key.prefix,
    role: key.role,
    scopes: [...key.scopes],
    created_by: key.createdBy,
    created_at: key.createdAt.toISOString(),
    expires_at: key.expiresAt?.toISOString() ?? null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
  }
}

export function toKeyWithSecret({ record: stored, key }: KeyWithSecret) {
  return { ...toKeyRecord(stored), key }
}

export function toNewKey(body: {
  name?: string
  role?: KeyRole
  scopes?: readonly (typeof SCOPES)[number][]
  expires_in_days?: number
}): NewKey {
  return {
    name: body.name ?? 'Default',
    role: body.role,
    scopes: SCOPES.filter((scope) => body.scopes?.includes(scope) ?? true),
    expiresInDays: body.expires_in_days,
  }
}
