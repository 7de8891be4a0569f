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

/** What an organisation lays over the card of one of its agents, as it stands now. */
export type Layer = {
  /** Of the organisation, whether or not it holds for the agent. */
  templateVersion: number
  /** The one that holds for the agent. */
  template: OrgTemplate | undefined
  revision: number
  values: readonly OrgValue[]
  replacesBase: boolean
}

type Declared = { card: AlignmentCard; conscienceValues: readonly ConscienceValue[] }

/** Names the layer: two with one name are the same. */
export function stampOf({ template, templateVersion, revision }: Layer): string {
  return `${templateStamp({ template, templateVersion })} ${revision}`
}

export function templateStamp(layer: Pick<Layer, 'template' | 'templateVersion'>): string {
  return layer.template === undefined ? '-' : String(layer.templateVersion)
}

export function effectiveCard({ template }: Layer, card: AlignmentCard): AlignmentCard {
  return template === undefined ? card : composeCard(template.card, card)
}

/** A card with what stands beside it, as if one author had written both. */
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

/** Only what the organisation lays down. */
export function valuesOfOrg(layer: Layer): EffectiveValue[] {
  return effectiveValues({ ...layer, replacesBase: true }, [])
}
