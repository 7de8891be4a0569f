import { toBundleAssurance } from '@touchstone/protocol/bundle'
import {
  ASSURANCE_LEVELS,
  ASSURANCE_LIMITS,
  type Assurance as AssuranceValue,
  METHODOLOGY,
} from '@touchstone/protocol/score'
import { type Static, Type } from 'typebox'
import { NamedEnum, NamedObject } from './http/openapi/named.ts'
import { Nullable } from './http/wire.ts'

/** The JSON form of assurance, in scores, the directory and verifications. */

export const AssuranceLevel = Type.Integer({
  minimum: 0,
  maximum: ASSURANCE_LEVELS.length - 1,
  description: ASSURANCE_LEVELS.map(({ level, name }) => `${level} ${name}`).join(', '),
})

export const AssuredScore = Nullable(
  Type.Integer({
    description:
      'conservative_score, at most 599, 749, 849 or 949 at the assurance levels 0 to 3: the number to rely on; null until the next hourly computation of a score that was computed before there was assurance',
  }),
)

const Share = Type.Number({ minimum: 0, maximum: 1 })

export const Assurance = NamedObject(
  'Assurance',
  {
    level: AssuranceLevel,
    observed_share: Share,
    relayed_share: Share,
    days: Type.Integer({ description: 'UTC days with at least one effective checkpoint' }),
    span_days: Type.Integer({ description: 'from the first of these days to the last' }),
    effective_checkpoints: Type.Integer({
      description: 'of the last 90 days, without clear ones that say little',
    }),
    limits: Type.Array(NamedEnum('AssuranceLimit', [...ASSURANCE_LIMITS])),
  },
  { description: 'Who saw the evidence of the last 90 days, over how long, and how much it says' },
)

export const Methodology = Type.String({
  description:
    'The version of the rules from evidence to score. In 1, unverified traces counted and there was no assurance.',
})

export function toAssurance(value: AssuranceValue): Static<typeof Assurance> {
  const { limits, ...figures } = toBundleAssurance(value)
  return { ...figures, limits: [...limits] }
}

/** A score without assurance was computed by methodology 1. */
export function methodologyOf(published: {
  score: number | null
  assurance: AssuranceValue | null
}): string {
  return published.score !== null && published.assurance === null ? '1' : METHODOLOGY
}
