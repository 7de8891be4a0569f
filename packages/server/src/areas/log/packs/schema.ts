import { Type } from 'typebox'
import { NamedEnum, NamedObject } from '../../../http/openapi/named.ts'
import { Instant, Nullable } from '../../../http/wire.ts'
import { FRAMEWORKS, PACK_STATUSES, type Pack } from './pack.ts'

export const PackParams = Type.Object({ org_id: Type.String(), pack_id: Type.String() })

const FrameworkName = NamedEnum('ControlFramework', [...FRAMEWORKS])

export const PackBody = NamedObject('EvidencePackRequest', {
  from: Type.String({ ...Instant, description: 'the earliest time' }),
  to: Type.String({ ...Instant, description: 'exclusive; at most 366 days after from' }),
  frameworks: Type.Optional(
    Type.Array(FrameworkName, {
      minItems: 1,
      maxItems: FRAMEWORKS.length,
      uniqueItems: true,
      description: 'whose controls are mapped; default: all',
    }),
  ),
})

export const PackAccepted = NamedObject('EvidencePackAccepted', { pack_id: Type.String() })

export const PackAnswer = NamedObject('EvidencePack', {
  pack_id: Type.String(),
  from: Type.String(),
  to: Type.String(),
  frameworks: Type.Array(FrameworkName),
  status: NamedEnum('EvidencePackStatus', [...PACK_STATUSES]),
  progress: Type.Integer({ minimum: 0, maximum: 100, description: 'percent' }),
  bytes: Nullable(Type.Integer({ description: 'null until it is ready' })),
  sha256: Nullable(Type.String({ description: 'of the file, in hex' })),
  error: Nullable(Type.String({ description: 'why it failed' })),
  created_at: Type.String(),
  expires_at: Type.String({ description: 'when it is deleted' }),
})

export const PackList = NamedObject('EvidencePackList', { packs: Type.Array(PackAnswer) })

export const PackFile = {
  description: 'A ZIP file; verify.mjs in it verifies it offline',
  content: { 'application/zip': { schema: Type.String({ format: 'binary' }) } },
}

export function toPack(pack: Pack) {
  return {
    pack_id: pack.packId,
    from: pack.from.toISOString(),
    to: pack.to.toISOString(),
    frameworks: [...pack.frameworks],
    status: pack.status,
    progress: pack.progress,
    bytes: pack.bytes,
    sha256: pack.sha256,
    error: pack.error,
    created_at: pack.createdAt.toISOString(),
    expires_at: pack.expiresAt.toISOString(),
  }
}
