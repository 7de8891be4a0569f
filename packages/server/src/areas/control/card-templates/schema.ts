import { CONSCIENCE_TYPES } from '@touchstone/protocol/cards'
import { type Static, Type } from 'typebox'
import { NamedEnum, NamedObject } from '../../../http/openapi/named.ts'
import { Instant, Nullable, toInstant } from '../../../http/wire.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { Exemption, ExistingTemplate } from './card-template.ts'
import type { SavedTemplate, Submission } from './service.ts'

/** Not validated here: card validation reports findings by code. */
const CardJson = Type.Record(Type.String(), Type.Unknown(), {
  title: 'CardTemplateJson',
  description:
    'A partial alignment card; card_id, agent_id, principal, issued_at and expires_at are ignored',
})

export const TemplateBody = NamedObject('CardTemplateChange', {
  enabled: Type.Boolean(),
  template: Type.Object({
    card_json: CardJson,
    conscience_values: Type.Optional(
      Type.Array(Type.Unknown(), { description: 'at most 20 objects {type, name, content}' }),
    ),
    card_id: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9._:-]{3,128}$' })),
    agent_id: Type.Optional(Nullable(Type.String({ maxLength: 128 }))),
    is_active: Type.Optional(Type.Boolean({ description: 'ignored; same as enabled' })),
    issued_at: Type.Optional(Instant),
  }),
})

const TemplateFields = {
  org_id: Type.String(),
  enabled: Type.Boolean(),
  template: Type.Object({
    card_id: Type.String(),
    agent_id: Nullable(Type.String()),
    is_active: Type.Boolean(),
    card_json: CardJson,
    conscience_values: Type.Array(
      NamedObject('ConscienceValueContent', {
        type: NamedEnum('ConscienceType', [...CONSCIENCE_TYPES]),
        name: Type.String(),
        content: Type.String(),
      }),
    ),
    issued_at: Type.String(),
  }),
  created_by: Type.String(),
  updated_by: Type.String(),
  created_at: Type.String(),
  updated_at: Type.String(),
}

export const TemplateAnswer = NamedObject('CardTemplate', TemplateFields)

export const TemplateSaved = NamedObject(
  'SavedCardTemplate',
  {
    ...TemplateFields,
    warnings: Type.Array(
      NamedObject('ValidationFinding', {
        path: Type.String(),
        code: Type.String(),
        message: Type.String(),
      }),
    ),
  },
  { description: 'The stored card template' },
)

export const TemplateDeleted = NamedObject(
  'DeletedCardTemplate',
  { deleted: Type.Literal(true) },
  { description: 'The card template is deleted' },
)

export const ExemptBody = NamedObject('CardTemplateExemptionChange', {
  exempt: Type.Boolean(),
  reason: Type.Optional(
    Nullable(
      Type.String({ minLength: 1, maxLength: 500, description: 'required to exempt an agent' }),
    ),
  ),
})

export const ExemptAnswer = NamedObject(
  'CardTemplateExemption',
  {
    agent_id: Type.String(),
    exempt: Type.Boolean(),
    reason: Nullable(Type.String()),
    updated_at: Type.String(),
  },
  { description: 'Whether the agent is exempt' },
)

export function toSubmission({ enabled, template }: Static<typeof TemplateBody>): Submission {
  return {
    enabled,
    cardId: template.card_id,
    agentId: template.agent_id,
    issuedAt: toInstant(template.issued_at, 'issued_at'),
    card: template.card_json,
    conscienceValues: template.conscience_values,
  }
}

export function toTemplate({ template, ...stored }: ExistingTemplate) {
  return {
    org_id: stored.orgId,
    enabled: stored.enabled,
    template: {
      card_id: template.cardId,
      agent_id: template.agentId,
      is_active: stored.enabled,
      card_json: { ...template.card },
      conscience_values: [...template.conscienceValues],
      issued_at: template.issuedAt.toISOString(),
    },
    created_by: stored.createdBy,
    updated_by: stored.updatedBy,
    created_at: stored.createdAt.toISOString(),
    updated_at: stored.updatedAt.toISOString(),
  }
}

export function toTemplateSaved({ stored, warnings }: SavedTemplate) {
  return { ...toTemplate(stored), warnings: [...warnings] }
}

/** An exemption needs a reason. */
export function toExemption({ exempt, reason = null }: Static<typeof ExemptBody>) {
  if (!exempt || reason !== null) return { exempt, reason }
  const message = 'is required to exempt an agent'
  const details = [{ path: '/reason', code: 'required', message }]
  throw new Problem('invalid_request', `reason: ${message}`, { details })
}

export function toExempted({ agentId, exempt, reason, updatedAt }: Exemption) {
  return { agent_id: agentId, exempt, reason, updated_at: updatedAt.toISOString() }
}
