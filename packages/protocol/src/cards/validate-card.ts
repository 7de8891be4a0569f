import { canonicalJson } from '../base/canonical-json.ts'
import {
  createShape,
  type Finding,
  isJsonObject,
  type JsonObject,
  pointer,
  type Shape,
} from '../base/shape.ts'
import { canonicalAgentId } from '../identifiers/agent-id.ts'
import {
  AAP_VERSIONS,
  type AlignmentCard,
  CARD_BYTES_MAX,
  CONSCIENCE_TYPES,
  type ConscienceValue,
  conscienceConflicts,
  type EscalationTrigger,
  HIERARCHIES,
  PRINCIPAL_TYPES,
  RELATIONSHIPS,
  STANDARD_VALUES,
  STORAGE_TYPES,
  TAMPER_EVIDENCE,
  TRIGGER_ACTIONS,
} from './card.ts'
import { parseCondition } from './condition.ts'
import { actingType, type EffectiveValue } from './conscience.ts'

/** `conscienceValues` are submitted with the card; absent means none. */
export type CardSubmission = { card: unknown; conscienceValues?: unknown }

export type CardOutcome =
  | {
      valid: true
      card: AlignmentCard
      conscienceValues: readonly ConscienceValue[]
      errors: readonly []
      warnings: readonly Finding[]
    }
  | {
      valid: false
      /** Malformed (400), or well-formed but contradictory (422). */
      problem: 'invalid_request' | 'validation_error'
      errors: readonly Finding[]
      warnings: readonly Finding[]
    }

export type CardPlace = {
  agentId: string
  now: Date
  /** The values that the organisation sets for the agent. */
  orgValues?: readonly EffectiveValue[]
}

const CARD_ID = /^[A-Za-z0-9._:-]{3,128}$/
const VALUE_ID = /^[a-z][a-z0-9_]{1,63}$/

/**
 * Validates the meaning only if the form is valid, so a card has faults of one kind at a time. The
 * card is returned with defaults filled in and times in UTC; unknown fields are kept.
 */
export function validateCard(submission: CardSubmission, at: CardPlace): CardOutcome {
  const shape = createShape()
  const conscienceValues = readConscienceValues(shape, submission.conscienceValues)
  const card = readCard(shape, submission.card, at)
  const { errors, warnings } = shape
  if (card === undefined || errors.length > 0) {
    return { valid: false, problem: 'invalid_request', errors, warnings }
  }
  checkSemantics(shape, { card, conscienceValues, ...at })
  if (errors.length > 0) return { valid: false, problem: 'validation_error', errors, warnings }
  warnOfGaps(shape, card)
  warnOfOrg(shape, card, at.orgValues ?? [])
  return { valid: true, card, conscienceValues, errors: [], warnings }
}

function readCard(
  shape: Shape,
  input: unknown,
  at: { agentId: string; now: Date },
): AlignmentCard | undefined {
  const card = shape.object('', input, [
    'aap_version',
    'card_id',
    'agent_id',
    'issued_at',
    'expires_at',
    'principal',
    'values',
    'autonomy_envelope',
    'audit_commitment',
    'extensions',
  ])
  if (card === undefined || !hasCanonicalForm(shape, card)) return undefined
  const times = checkHead(shape, card)
  checkPrincipal(shape, card['principal'])
  checkValues(shape, card['values'])
  checkEnvelope(shape, card['autonomy_envelope'])
  checkAudit(shape, card['audit_commitment'])
  if (card['extensions'] !== undefined) shape.object('/extensions', card['extensions'])
  if (shape.errors.length > 0) return undefined
  // Every field was checked above, so the cast is safe.
  return withDefaults(card, { ...at, ...times }) as AlignmentCard
}

/** A card must be hashable; its size is measured on the same canonical text. */
export function hasCanonicalForm(shape: Shape, card: JsonObject): boolean {
  try {
    const bytes = new TextEncoder().encode(canonicalJson(card)).length
    if (bytes <= CARD_BYTES_MAX) return true
    shape.fail('', 'too_large', `must have at most ${CARD_BYTES_MAX} bytes`)
  } catch {
    shape.fail('', 'type', 'must be plain JSON without lone surrogates, not nested too deeply')
  }
  return false
}

type Times = { issuedAt: Date | undefined; expiresAt: Date | undefined }

function checkHead(shape: Shape, card: JsonObject): Times {
  if (card['aap_version'] !== undefined) {
    shape.oneOf('/aap_version', card['aap_version'], AAP_VERSIONS)
  }
  if (card['card_id'] !== undefined) shape.pattern('/card_id', card['card_id'], CARD_ID)
  if (card['agent_id'] !== undefined) shape.text('/agent_id', card['agent_id'], { max: 128 })
  const time = (key: string) =>
    card[key] === undefined ? undefined : shape.instant(`/${key}`, card[key])
  return { issuedAt: time('issued_at'), expiresAt: time('expires_at') }
}

function checkPrincipal(shape: Shape, input: unknown): void {
  const path = '/principal'
  const known = ['type', 'relationship', 'identifier', 'escalation_contact']
  const principal = shape.object(path, input, known)
  if (principal === undefined) return
  shape.oneOf(`${path}/type`, principal['type'], PRINCIPAL_TYPES)
  shape.oneOf(`${path}/relationship`, principal['relationship'], RELATIONSHIPS)
  optionalText(shape, path, principal, { identifier: 256, escalation_contact: 512 })
}

export function checkValues(shape: Shape, input: unknown): void {
  const path = '/values'
  const known = ['declared', 'conflicts_with', 'definitions', 'hierarchy']
  const values = shape.object(path, input, known)
  if (values === undefined) return
  const declaredPath = `${path}/declared`
  const declared = shape.array(declaredPath, values['declared'], { min: 1, max: 50 })
  shape.unique(declaredPath, declared)
  checkIds(shape, declaredPath, declared)
  if (values['conflicts_with'] !== undefined) {
    const conflicts = `${path}/conflicts_with`
    checkIds(shape, conflicts, shape.array(conflicts, values['conflicts_with'], { max: 50 }))
  }
  if (values['hierarchy'] !== undefined) {
    shape.oneOf(`${path}/hierarchy`, values['hierarchy'], HIERARCHIES)
  }
  if (values['definitions'] !== undefined) {
    checkDefinitions(shape, `${path}/definitions`, values['definitions'])
  }
}

function checkIds(shape: Shape, path: string, ids: readonly unknown[]): void {
  for (const [index, id] of ids.entries()) shape.pattern(pointer(path, index), id, VALUE_ID)
}

function checkDefinitions(shape: Shape, path: string, input: unknown): void {
  const definitions = shape.object(path, input)
  for (const [id, given] of Object.entries(definitions ?? {})) {
    const at = pointer(path, id)
    shape.pattern(at, id, VALUE_ID)
    const definition = shape.object(at, given, ['name', 'description', 'priority'])
    if (definition === undefined) continue
    optionalText(shape, at, definition, { name: 100 })
    shape.text(`${at}/description`, definition['description'], { min: 1, max: 500 })
    if (definition['priority'] !== undefined) {
      shape.integer(`${at}/priority`, definition['priority'], { min: 1, max: 100 })
    }
  }
}

export function checkEnvelope(shape: Shape, input: unknown): void {
  const path = '/autonomy_envelope'
  const known = [
    'bounded_actions',
    'forbidden_actions',
    'escalation_triggers',
    'max_autonomous_value',
  ]
  const envelope = shape.object(path, input, known)
  if (envelope === undefined) return
  const boundedPath = `${path}/bounded_actions`
  const bounded = shape.array(boundedPath, envelope['bounded_actions'], { min: 1, max: 200 })
  shape.unique(boundedPath, bounded)
  checkNames(shape, boundedPath, bounded)
  if (envelope['forbidden_actions'] !== undefined) {
    const forbidden = `${path}/forbidden_actions`
    checkNames(
      shape,
      forbidden,
      shape.array(forbidden, envelope['forbidden_actions'], { max: 200 }),
    )
  }
  if (envelope['escalation_triggers'] !== undefined) {
    checkTriggers(shape, `${path}/escalation_triggers`, envelope['escalation_triggers'])
  }
  if (envelope['max_autonomous_value'] !== undefined) {
    const at = `${path}/max_autonomous_value`
    const limit = shape.object(at, envelope['max_autonomous_value'], ['amount', 'currency'])
    if (limit === undefined) return
    shape.number(`${at}/amount`, limit['amount'], { min: 0 })
    optionalText(shape, at, limit, { currency: 16 })
  }
}

function checkNames(shape: Shape, path: string, names: readonly unknown[]): void {
  for (const [index, name] of names.entries()) {
    shape.text(pointer(path, index), name, { min: 1, max: 128 })
  }
}

function checkTriggers(shape: Shape, path: string, input: unknown): void {
  for (const [index, given] of shape.array(path, input, { max: 50 }).entries()) {
    const at = pointer(path, index)
    const trigger = shape.object(at, given, ['condition', 'action', 'reason'])
    if (trigger === undefined) continue
    shape.text(`${at}/condition`, trigger['condition'], { min: 1, max: 200 })
    shape.oneOf(`${at}/action`, trigger['action'], TRIGGER_ACTIONS)
    shape.text(`${at}/reason`, trigger['reason'], { min: 1, max: 500 })
  }
}

export function checkAudit(shape: Shape, input: unknown): void {
  const path = '/audit_commitment'
  const known = [
    'trace_format',
    'retention_days',
    'queryable',
    'query_endpoint',
    'storage',
    'tamper_evidence',
  ]
  const audit = shape.object(path, input, known)
  if (audit === undefined) return
  optionalText(shape, path, audit, { trace_format: 128 })
  shape.integer(`${path}/retention_days`, audit['retention_days'], { min: 1, max: 3650 })
  shape.boolean(`${path}/queryable`, audit['queryable'])
  const endpoint = audit['query_endpoint']
  if (endpoint !== undefined) {
    shape.text(`${path}/query_endpoint`, endpoint, { max: 2048 })
    if (typeof endpoint === 'string' && !isHttpsUrl(endpoint)) {
      shape.fail(`${path}/query_endpoint`, 'pattern', 'must be an https URL')
    }
  }
  if (audit['tamper_evidence'] !== undefined) {
    shape.oneOf(`${path}/tamper_evidence`, audit['tamper_evidence'], TAMPER_EVIDENCE)
  }
  if (audit['storage'] === undefined) return
  const storage = shape.object(`${path}/storage`, audit['storage'], ['type', 'location'])
  if (storage === undefined) return
  if (storage['type'] !== undefined) {
    shape.oneOf(`${path}/storage/type`, storage['type'], STORAGE_TYPES)
  }
  optionalText(shape, `${path}/storage`, storage, { location: 2048 })
}

function isHttpsUrl(text: string): boolean {
  return /^https:\/\//i.test(text) && URL.canParse(text)
}

function optionalText(
  shape: Shape,
  path: string,
  object: JsonObject,
  lengths: Readonly<Record<string, number>>,
): void {
  for (const [key, max] of Object.entries(lengths)) {
    if (object[key] !== undefined) shape.text(`${path}/${key}`, object[key], { max })
  }
}

export function readConscienceValues(shape: Shape, input: unknown): ConscienceValue[] {
  if (input === undefined) return []
  const path = '/conscience_values'
  return shape.array(path, input, { max: 20 }).flatMap((given, index) => {
    const at = pointer(path, index)
    const value = shape.object(at, given, ['type', 'name', 'content'])
    if (value === undefined) return []
    const { type, name, content } = value
    shape.oneOf(`${at}/type`, type, CONSCIENCE_TYPES)
    shape.text(`${at}/name`, name, { min: 1, max: 50 })
    shape.text(`${at}/content`, content, { min: 1, max: 500 })
    // Only these three fields are hashed and resolved, so nothing else is kept.
    return [{ type, name, content } as ConscienceValue]
  })
}

/** Spreading defines own properties, so a field called `__proto__` remains plain data. */
function withDefaults(card: JsonObject, at: Times & { agentId: string; now: Date }): JsonObject {
  const block = (key: string): JsonObject => {
    const value = card[key]
    return isJsonObject(value) ? value : {}
  }
  const envelope = block('autonomy_envelope')
  const limit = envelope['max_autonomous_value']
  return {
    aap_version: AAP_VERSIONS[0],
    agent_id: at.agentId,
    ...card,
    ...(isSameAgent(card['agent_id'], at.agentId) && { agent_id: at.agentId }),
    issued_at: (at.issuedAt ?? at.now).toISOString(),
    ...(at.expiresAt === undefined ? {} : { expires_at: at.expiresAt.toISOString() }),
    values: { hierarchy: HIERARCHIES[0], ...block('values') },
    autonomy_envelope: isJsonObject(limit)
      ? { ...envelope, max_autonomous_value: { currency: 'USD', ...limit } }
      : envelope,
    audit_commitment: { trace_format: 'ap-trace-v1', ...block('audit_commitment') },
  }
}

function isSameAgent(named: unknown, agentId: string): boolean {
  return typeof named === 'string' && canonicalAgentId(named) === canonicalAgentId(agentId)
}

function checkSemantics(
  shape: Shape,
  given: {
    card: AlignmentCard
    conscienceValues: readonly ConscienceValue[]
    agentId: string
    now: Date
  },
): void {
  const { card, conscienceValues, agentId, now } = given
  if (card.agent_id !== agentId) {
    shape.fail('/agent_id', 'agent_mismatch', 'must be the agent that the card is stored for')
  }
  if (card.expires_at !== undefined) {
    const expiresAt = Date.parse(card.expires_at)
    if (expiresAt <= now.getTime() || expiresAt <= Date.parse(card.issued_at)) {
      shape.fail('/expires_at', 'expired', 'must be later than now and later than issued_at')
    }
  }
  const { bounded_actions: bounded, forbidden_actions: forbidden = [] } = card.autonomy_envelope
  const boundedPath = '/autonomy_envelope/bounded_actions'
  for (const [index, action] of bounded.entries()) {
    if (!forbidden.includes(action)) continue
    const message = `"${action}" must not be both bounded and forbidden`
    shape.fail(pointer(boundedPath, index), 'bounded_forbidden_overlap', message)
  }
  for (const conflict of conscienceConflicts(bounded, conscienceValues)) {
    const name = conscienceValues[conflict.valueIndex]?.name ?? ''
    const message = `"${conflict.action}" is prohibited by BOUNDARY:${name}`
    shape.fail(pointer(boundedPath, conflict.actionIndex), 'conscience_conflict', message)
  }
}

/**
 * Warnings for gaps that are not errors, but leave out something that the card seems to promise.
 */
function warnOfGaps(shape: Shape, card: AlignmentCard): void {
  const { declared, definitions = {} } = card.values
  for (const [index, id] of declared.entries()) {
    if (STANDARD_VALUES.includes(id) || Object.hasOwn(definitions, id)) continue
    const message = `"${id}" is not a standard value and has no definition`
    shape.warn(`/values/declared/${index}`, 'missing_definition', message)
  }
  warnOfConditions(shape, card.autonomy_envelope.escalation_triggers ?? [])
  if (card.audit_commitment.queryable && card.audit_commitment.query_endpoint === undefined) {
    const path = '/audit_commitment/query_endpoint'
    shape.warn(path, 'missing_query_endpoint', 'is missing although the record is queryable')
  }
}

export function warnOfConditions(shape: Shape, triggers: readonly EscalationTrigger[]): void {
  for (const [index, { condition }] of triggers.entries()) {
    if (parseCondition(condition) !== undefined) continue
    const path = `/autonomy_envelope/escalation_triggers/${index}/condition`
    shape.warn(path, 'unevaluable_condition', 'cannot be parsed and will never fire')
  }
}

/** The card remains valid, but the organisation's values will be enforced against it. */
function warnOfOrg(shape: Shape, card: AlignmentCard, orgValues: readonly EffectiveValue[]): void {
  const { bounded_actions: bounded } = card.autonomy_envelope
  const acting = orgValues.map((value) => ({ ...value, type: actingType(value) }))
  for (const { action, actionIndex, valueIndex } of conscienceConflicts(bounded, acting)) {
    const name = orgValues[valueIndex]?.name ?? ''
    const message = `"${action}" is prohibited by the organisation's BOUNDARY:${name}`
    const path = `/autonomy_envelope/bounded_actions/${actionIndex}`
    shape.warn(path, 'org_conscience_conflict', message)
  }
}
