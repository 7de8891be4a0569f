import { LONE_SURROGATE } from '../base/canonical-json.ts'
import { isJsonObject, type JsonObject, pointer, type Shape } from '../base/shape.ts'
import { isToolPattern } from './glob.ts'
import { checkModelLimits } from './model-limits.ts'
import {
  CHANGED_TOOL_ACTIONS,
  ENFORCEMENT_MODES,
  POLICY_SCOPES,
  POLICY_TRIGGER_ACTIONS,
  type PolicyDefaults,
  type PolicyDocument,
  type PolicyRules,
  SEVERITIES,
  UNMAPPED_TOOL_ACTIONS,
} from './policy.ts'
import {
  checkApproval,
  checkFlows,
  checkIdenticalCalls,
  checkLimits,
  hasSessionFields,
  normalSessionRules,
  refuseSessionFields,
  SESSION_SECTIONS,
  withNormalApproval,
} from './session-rule-shape.ts'

/** The limits of spec: governance §1.1. */
export const CAPABILITIES_MAX = 200
export const TOOLS_MAX = 200
const CARD_ACTIONS_MAX = 100
export const FORBIDDEN_MAX = 500
export const TRIGGERS_MAX = 100
export const POLICY_NAME_MAX = 120
export const REASON_MAX = 500
const GRACE_HOURS_MAX = 8760

const SCHEMA_VERSION = /^1\.\d+(\.\d+)?$/
export const CAPABILITY = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/

/**
 * Added by the service when a document is stored; ignored, so that a document can be sent back as
 * read.
 */
const STORED = ['id', 'version', 'created_at', 'updated_at', 'warnings']
const SECTIONS = [
  'meta',
  'capability_mappings',
  'forbidden',
  'escalation_triggers',
  'defaults',
  ...SESSION_SECTIONS,
]

const SENTENCE = { min: 1, max: REASON_MAX }

/** Undefined for a malformed document; the faults are in `shape`. */
export function readDocument(shape: Shape, input: unknown): PolicyDocument | undefined {
  const document = shape.closedObject('', input, [...SECTIONS, ...STORED])
  if (document === undefined) return undefined
  checkMeta(shape, document['meta'])
  checkRules(shape, document)
  if (shape.errors.length > 0) return undefined
  // Every field was checked above, so the cast is safe.
  return { meta: normalMeta(document['meta']), ...normalRules(document) } as PolicyDocument
}

/** The same without `meta`, which is allowed but ignored. */
export function readTransactionRules(shape: Shape, input: unknown): PolicyRules | undefined {
  const document = shape.closedObject('', input, [...SECTIONS, ...STORED])
  if (document === undefined) return undefined
  if (document['meta'] !== undefined) checkMeta(shape, document['meta'])
  checkRules(shape, document)
  // The cast is safe, as above.
  return shape.errors.length > 0 ? undefined : (normalRules(document) as PolicyRules)
}

function checkMeta(shape: Shape, input: unknown): void {
  const known = ['schema_version', 'name', 'description', 'scope']
  const meta = shape.closedObject('/meta', input, known)
  if (meta === undefined) return
  shape.pattern('/meta/schema_version', meta['schema_version'], SCHEMA_VERSION)
  const name = meta['name']
  text(shape, '/meta/name', typeof name === 'string' ? name.trim() : name, {
    min: 1,
    max: POLICY_NAME_MAX,
  })
  if (meta['description'] !== undefined) {
    text(shape, '/meta/description', meta['description'], { max: 1000 })
  }
  shape.oneOf('/meta/scope', meta['scope'], POLICY_SCOPES)
}

function checkRules(shape: Shape, document: JsonObject): void {
  if (hasSessionFields(versionOf(document))) checkSessionRules(shape, document)
  else refuseSessionFields(shape, document)
  const { capability_mappings, forbidden, escalation_triggers, defaults } = document
  if (capability_mappings !== undefined) checkMappings(shape, capability_mappings)
  if (forbidden !== undefined) checkForbidden(shape, forbidden)
  if (escalation_triggers !== undefined) checkTriggers(shape, escalation_triggers)
  if (defaults !== undefined) checkDefaults(shape, defaults)
}

/** A document of version 1.1 has these sections even if they are empty. */
function carriesSessionRules(document: JsonObject): boolean {
  const version = versionOf(document)
  const isGiven = SESSION_SECTIONS.some((section) => document[section] !== undefined)
  return hasSessionFields(version) && (version !== undefined || isGiven)
}

/** The policy of a transaction need not say its version. */
function versionOf({ meta }: JsonObject): unknown {
  return isJsonObject(meta) ? meta['schema_version'] : undefined
}

const SESSION_ITEMS = {
  patterns: (shape: Shape, path: string, input: unknown) =>
    checkList(shape, path, input, { max: TOOLS_MAX, check: checkPattern }),
  reason: (shape: Shape, path: string, input: unknown) => text(shape, path, input, SENTENCE),
}

function checkSessionRules(shape: Shape, document: JsonObject): void {
  const { limits, flows, model_limits: budgets } = document
  if (limits !== undefined) checkLimits(shape, limits, SESSION_ITEMS)
  if (flows !== undefined) checkFlows(shape, flows, SESSION_ITEMS)
  if (budgets !== undefined) checkModelLimits(shape, budgets, SESSION_ITEMS.patterns)
}

function checkMappings(shape: Shape, input: unknown): void {
  const path = '/capability_mappings'
  const mappings = shape.object(path, input)
  if (mappings === undefined) return
  const entries = Object.entries(mappings)
  if (entries.length > CAPABILITIES_MAX) {
    shape.fail(path, 'too_large', `must have at most ${CAPABILITIES_MAX} capabilities`)
    return
  }
  for (const [name, given] of entries) {
    const at = pointer(path, name)
    shape.pattern(at, name, CAPABILITY)
    const mapping = shape.closedObject(at, given, ['description', 'tools', 'card_actions'])
    if (mapping === undefined) continue
    const { description, tools, card_actions } = mapping
    if (description !== undefined) text(shape, `${at}/description`, description, SENTENCE)
    checkList(shape, `${at}/tools`, tools, { max: TOOLS_MAX, check: checkPattern })
    checkList(shape, `${at}/card_actions`, card_actions, {
      max: CARD_ACTIONS_MAX,
      check: (_shape, place, action) => text(shape, place, action, { min: 1, max: 128 }),
    })
  }
}

type CheckItem = (shape: Shape, path: string, item: unknown) => void

function checkList(
  shape: Shape,
  path: string,
  input: unknown,
  { max, check }: { max: number; check: CheckItem },
): void {
  for (const [index, item] of shape.array(path, input, { min: 1, max }).entries()) {
    check(shape, pointer(path, index), item)
  }
}

function checkPattern(shape: Shape, path: string, input: unknown): void {
  shape.text(path, input, { min: 1, max: 256 })
  const isText = typeof input === 'string' && input !== '' && [...input].length <= 256
  if (isText && !isToolPattern(input)) {
    shape.fail(path, 'pattern', 'must not contain white space or control characters')
  }
}

function checkForbidden(shape: Shape, input: unknown): void {
  const path = '/forbidden'
  for (const [index, given] of shape.array(path, input, { max: FORBIDDEN_MAX }).entries()) {
    const at = pointer(path, index)
    const rule = shape.closedObject(at, given, ['pattern', 'reason', 'severity'])
    if (rule === undefined) continue
    checkPattern(shape, `${at}/pattern`, rule['pattern'])
    text(shape, `${at}/reason`, rule['reason'], SENTENCE)
    shape.oneOf(`${at}/severity`, rule['severity'], SEVERITIES)
  }
}

const TRIGGER_FIELDS = ['condition', 'action', 'reason', 'severity', 'approval']

/** A condition's contents, including its length, are checked with the meaning. */
function checkTriggers(shape: Shape, input: unknown): void {
  const path = '/escalation_triggers'
  for (const [index, given] of shape.array(path, input, { max: TRIGGERS_MAX }).entries()) {
    const at = pointer(path, index)
    const trigger = shape.closedObject(at, given, TRIGGER_FIELDS)
    if (trigger === undefined) continue
    text(shape, `${at}/condition`, trigger['condition'], {})
    shape.oneOf(`${at}/action`, trigger['action'], POLICY_TRIGGER_ACTIONS)
    text(shape, `${at}/reason`, trigger['reason'], SENTENCE)
    if (trigger['severity'] !== undefined) {
      shape.oneOf(`${at}/severity`, trigger['severity'], SEVERITIES)
    }
    const { approval } = trigger
    if (approval !== undefined) checkApproval(shape, `${at}/approval`, approval)
  }
}

/** A map, because an object would inherit `__proto__` and other names. */
const CHECK_DEFAULT: ReadonlyMap<string, CheckItem> = new Map(
  Object.entries<CheckItem>({
    unmapped_tool_action: (shape, path, value) =>
      shape.oneOf(path, value, [...UNMAPPED_TOOL_ACTIONS, 'deny']),
    unmapped_severity: (shape, path, value) => shape.oneOf(path, value, SEVERITIES),
    fail_open: (shape, path, value) => shape.boolean(path, value),
    enforcement_mode: (shape, path, value) => shape.oneOf(path, value, ENFORCEMENT_MODES),
    grace_period_hours: (shape, path, value) =>
      shape.number(path, value, { min: 0, max: GRACE_HOURS_MAX }),
    approval: checkApproval,
    max_identical_calls: checkIdenticalCalls,
    changed_tool_action: (shape, path, value) => shape.oneOf(path, value, CHANGED_TOOL_ACTIONS),
  } satisfies Record<keyof PolicyDefaults, CheckItem>),
)

function checkDefaults(shape: Shape, input: unknown): void {
  const path = '/defaults'
  const defaults = shape.closedObject(path, input, [...CHECK_DEFAULT.keys()])
  for (const [key, value] of Object.entries(defaults ?? {})) {
    CHECK_DEFAULT.get(key)?.(shape, pointer(path, key), value)
  }
}

/** A lone surrogate has no UTF-8 form, so a text with one cannot be stored or hashed. */
function text(shape: Shape, path: string, value: unknown, range: { min?: number; max?: number }) {
  shape.text(path, value, range)
  if (typeof value === 'string' && LONE_SURROGATE.test(value)) {
    shape.fail(path, 'pattern', 'must not contain lone surrogates')
  }
}

function normalMeta(meta: unknown): JsonObject {
  const given = isJsonObject(meta) ? meta : {}
  return { ...given, name: String(given['name']).trim() }
}

function normalRules(document: JsonObject): JsonObject {
  const { capability_mappings, forbidden = [], escalation_triggers = [], defaults } = document
  const mappings = Object.entries(isJsonObject(capability_mappings) ? capability_mappings : {})
  const given = withNormalApproval(isJsonObject(defaults) ? defaults : {})
  const triggers = Array.isArray(escalation_triggers) ? escalation_triggers : []
  return {
    capability_mappings: Object.fromEntries(mappings.map(([name, of]) => [name, distinct(of)])),
    forbidden,
    escalation_triggers: triggers.map((of) => (isJsonObject(of) ? withNormalApproval(of) : of)),
    ...(carriesSessionRules(document) ? normalSessionRules(document) : {}),
    // `deny` and `block` are synonyms; `block` is stored.
    defaults: given['unmapped_tool_action'] === 'deny' ? { ...given, ...BLOCK } : given,
  }
}

const BLOCK = { unmapped_tool_action: 'block' }

function distinct(mapping: unknown): unknown {
  if (!isJsonObject(mapping)) return mapping
  const { tools, card_actions } = mapping
  const once = (items: unknown) => (Array.isArray(items) ? [...new Set(items)] : items)
  return { ...mapping, tools: once(tools), card_actions: once(card_actions) }
}
