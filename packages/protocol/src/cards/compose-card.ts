import { type AlignmentCard, type ConscienceValue, TAMPER_EVIDENCE } from './card.ts'

type Values = AlignmentCard['values']
type Envelope = AlignmentCard['autonomy_envelope']
type Audit = AlignmentCard['audit_commitment']

/** The requirements that an organisation adds to its agents' cards. Other fields have no effect. */
export type CardTemplate = {
  values?: Partial<Values>
  autonomy_envelope?: Partial<Envelope>
  audit_commitment?: Partial<Audit>
}

/** A template with its conscience values. */
export type OrgTemplate = { card: CardTemplate; conscienceValues: readonly ConscienceValue[] }

/**
 * The effective card of an agent (spec: control §3.3). The organisation only adds duties: whatever
 * the agent declares, forbids itself or promises stays, and a template grants no action.
 */
export function composeCard(template: CardTemplate, card: AlignmentCard): AlignmentCard {
  return {
    ...card,
    values: composeBlock(template.values, card.values, composeDeclared),
    autonomy_envelope: composeBlock(
      template.autonomy_envelope,
      card.autonomy_envelope,
      composeEnvelope,
    ),
    audit_commitment: composeBlock(template.audit_commitment, card.audit_commitment, composeAudit),
  }
}

function composeBlock<Block>(
  ofOrg: Partial<Block> | undefined,
  ofAgent: Block,
  compose: (ofOrg: Partial<Block>, ofAgent: Block) => Block,
): Block {
  return ofOrg === undefined ? ofAgent : compose(ofOrg, ofAgent)
}

/** A field that the organisation omits stays as it is: an absent field must not enter the hash. */
function composeDeclared(ofOrg: Partial<Values>, ofAgent: Values): Values {
  const { declared = [], conflicts_with: conflicts, definitions, hierarchy } = ofOrg
  return {
    ...ofAgent,
    declared: union(declared, ofAgent.declared),
    ...(conflicts && { conflicts_with: union(conflicts, ofAgent.conflicts_with) }),
    ...(definitions && { definitions: { ...ofAgent.definitions, ...definitions } }),
    ...(hierarchy && { hierarchy }),
  }
}

function composeEnvelope(ofOrg: Partial<Envelope>, ofAgent: Envelope): Envelope {
  const { forbidden_actions: forbidden, escalation_triggers: triggers } = ofOrg
  const { escalation_triggers: own = [] } = ofAgent
  return {
    ...ofAgent,
    ...(forbidden && { forbidden_actions: union(forbidden, ofAgent.forbidden_actions) }),
    ...(triggers && { escalation_triggers: [...triggers, ...own] }),
  }
}

function composeAudit(ofOrg: Partial<Audit>, ofAgent: Audit): Audit {
  const { retention_days: days = 0, queryable = false } = ofOrg
  const evidence = stronger(ofOrg.tamper_evidence, ofAgent.tamper_evidence)
  return {
    ...ofAgent,
    retention_days: Math.max(days, ofAgent.retention_days),
    queryable: queryable || ofAgent.queryable,
    ...(evidence && { tamper_evidence: evidence }),
  }
}

function union(ofOrg: readonly string[], ofAgent: readonly string[] = []): readonly string[] {
  return [...new Set([...ofOrg, ...ofAgent])]
}

type Evidence = Audit['tamper_evidence']

/** The options are listed weakest first. */
function stronger(ofOrg: Evidence, ofAgent: Evidence): Evidence {
  const strength = (evidence: Evidence) =>
    evidence === undefined ? -1 : TAMPER_EVIDENCE.indexOf(evidence)
  return strength(ofOrg) > strength(ofAgent) ? ofOrg : ofAgent
}
