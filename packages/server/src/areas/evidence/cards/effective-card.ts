import {
  type AlignmentCard,
  type ConscienceValue,
  composeCard,
  composeValues,
  type EffectiveValue,
  type OrgTemplate,
  type OrgValue,
  resolveValues,
} from '@touchstone/protocol/cards'

/** The template and values that an organisation currently applies to an agent's card. */
export type Layer = {
  /** The organisation's version, whether or not it applies to the agent. */
  templateVersion: number
  /** Undefined if none applies to the agent. */
  template: OrgTemplate | undefined
  revision: number
  values: readonly OrgValue[]
  replacesBase: boolean
}

type Declared = { card: AlignmentCard; conscienceValues: readonly ConscienceValue[] }

/** Identifies the layer: layers with equal stamps are equal. */
export function stampOf({ template, templateVersion, revision }: Layer): string {
  return `${templateStamp({ template, templateVersion })} ${revision}`
}

export function templateStamp(layer: Pick<Layer, 'template' | 'templateVersion'>): string {
  return layer.template === undefined ? '-' : String(layer.templateVersion)
}

export function effectiveCard({ template }: Layer, card: AlignmentCard): AlignmentCard {
  return template === undefined ? card : composeCard(template.card, card)
}

/** The card and its conscience values, composed with the template. */
export function effectiveDocument<Card extends Declared>(layer: Layer, declared: Card): Card {
  const { template } = layer
  if (template === undefined) return declared
  return {
    ...declared,
    card: effectiveCard(layer, declared.card),
    conscienceValues: composeValues(template.conscienceValues, declared.conscienceValues),
  }
}

export function effectiveValues(layer: Layer, agent: readonly ConscienceValue[]): EffectiveValue[] {
  const { values: org, replacesBase, template } = layer
  return resolveValues({ org, replacesBase, template: template?.conscienceValues ?? [], agent })
}

/** Only the organisation's values. */
export function valuesOfOrg(layer: Layer): EffectiveValue[] {
  return effectiveValues({ ...layer, replacesBase: true }, [])
}
