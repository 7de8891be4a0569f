import { isJsonObject, type JsonObject, pointer, type Shape } from '../base/shape.ts'
import { APPROVAL_ROLES, APPROVAL_SCOPES } from './approval-rule.ts'
import { normalModelLimits } from './model-limits.ts'
import { FLOW_ACTIONS, LIMIT_ACTIONS, LIMIT_PERIODS } from './session-rules.ts'

/** The form of the fields that schema version 1.1 adds to a document. */

export const SESSION_SECTIONS = ['limits', 'flows', 'model_limits'] as const
export const SESSION_DEFAULTS = ['approval', 'max_identical_calls', 'changed_tool_action'] as const

const LIMITS_MAX = 100
const FLOWS_MAX = 100
const CALLS_MAX = 1_000_000
const RULE_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/

/** Checks of texts and patterns that all sections share. */
export type ItemChecks = {
  patterns(shape: Shape, path: string, input: unknown): void
  reason(shape: Shape, path: string, input: unknown): void
}

/** Whether the version of a document, if it has one, has the fields of this file. */
export function hasSessionFields(version: unknown): boolean {
  const minor = /^1\.(\d+)/.exec(typeof version === 'string' ? version : '1.1')?.[1]
  return Number(minor) >= 1
}

/** The fields of version 1.1 in a document of version 1.0 are unknown, with a hint. */
export function refuseSessionFields(shape: Shape, document: JsonObject): void {
  const refuse = (path: string): void =>
    shape.fail(
      path,
      'unknown_field',
      'unknown field in schema_version 1.0; set meta.schema_version to "1.1" to use it',
    )
  for (const section of SESSION_SECTIONS) {
    if (document[section] !== undefined) refuse(`/${section}`)
  }
  const defaults = isJsonObject(document['defaults']) ? document['defaults'] : {}
  for (const name of SESSION_DEFAULTS) {
    if (defaults[name] !== undefined) refuse(`/defaults/${name}`)
  }
  const { escalation_triggers: triggers } = document
  for (const [index, trigger] of (Array.isArray(triggers) ? triggers : []).entries()) {
    if (isJsonObject(trigger) && trigger['approval'] !== undefined) {
      refuse(`/escalation_triggers/${index}/approval`)
    }
  }
}

export function checkLimits(shape: Shape, input: unknown, items: ItemChecks): void {
  const path = '/limits'
  const known = ['name', 'tools', 'max', 'per', 'action', 'reason', 'approval']
  for (const [index, given] of shape.array(path, input, { max: LIMITS_MAX }).entries()) {
    const at = pointer(path, index)
    const limit = shape.closedObject(at, given, known)
    if (limit === undefined) continue
    shape.pattern(`${at}/name`, limit['name'], RULE_NAME)
    items.patterns(shape, `${at}/tools`, limit['tools'])
    shape.integer(`${at}/max`, limit['max'], { min: 1, max: CALLS_MAX })
    shape.oneOf(`${at}/per`, limit['per'], LIMIT_PERIODS)
    if (limit['action'] !== undefined) shape.oneOf(`${at}/action`, limit['action'], LIMIT_ACTIONS)
    items.reason(shape, `${at}/reason`, limit['reason'])
    if (limit['approval'] !== undefined) checkApproval(shape, `${at}/approval`, limit['approval'])
  }
}

export function checkFlows(shape: Shape, input: unknown, items: ItemChecks): void {
  const path = '/flows'
  const known = ['name', 'from', 'to', 'action', 'reason', 'approval']
  for (const [index, given] of shape.array(path, input, { max: FLOWS_MAX }).entries()) {
    const at = pointer(path, index)
    const flow = shape.closedObject(at, given, known)
    if (flow === undefined) continue
    shape.pattern(`${at}/name`, flow['name'], RULE_NAME)
    items.patterns(shape, `${at}/from`, flow['from'])
    items.patterns(shape, `${at}/to`, flow['to'])
    if (flow['action'] !== undefined) shape.oneOf(`${at}/action`, flow['action'], FLOW_ACTIONS)
    items.reason(shape, `${at}/reason`, flow['reason'])
    if (flow['approval'] !== undefined) checkApproval(shape, `${at}/approval`, flow['approval'])
  }
}

export function checkApproval(shape: Shape, path: string, input: unknown): void {
  const known = ['required', 'roles', 'scopes', 'expires_minutes', 'local']
  const block = shape.closedObject(path, input, known)
  if (block === undefined) return
  const { required, roles, scopes, expires_minutes, local } = block
  if (required !== undefined) shape.integer(`${path}/required`, required, { min: 1, max: 5 })
  if (roles !== undefined) checkNames(shape, `${path}/roles`, { input: roles, of: APPROVAL_ROLES })
  if (scopes !== undefined) {
    checkNames(shape, `${path}/scopes`, { input: scopes, of: APPROVAL_SCOPES })
  }
  if (expires_minutes !== undefined) {
    shape.integer(`${path}/expires_minutes`, expires_minutes, { min: 5, max: 1440 })
  }
  if (local !== undefined) shape.boolean(`${path}/local`, local)
}

/** An empty list is well-formed; that nobody could ever approve is a fault of meaning. */
function checkNames(
  shape: Shape,
  path: string,
  { input, of }: { input: unknown; of: readonly string[] },
): void {
  for (const [index, item] of shape.array(path, input, {}).entries()) {
    shape.oneOf(pointer(path, index), item, of)
  }
}

export function checkIdenticalCalls(shape: Shape, path: string, input: unknown): void {
  if (input !== null) shape.integer(path, input, { min: 2, max: 1000 })
}

/** Every section present, with the default actions and without duplicates. */
export function normalSessionRules(document: JsonObject): JsonObject {
  const { limits = [], flows = [] } = document
  return {
    limits: listed(limits, (limit) => ({
      ...limit,
      tools: once(limit['tools']),
      action: limit['action'] ?? 'block',
    })),
    flows: listed(flows, (flow) => ({
      ...flow,
      from: once(flow['from']),
      to: once(flow['to']),
      action: flow['action'] ?? 'escalate',
    })),
    ...normalModelLimits(document),
  }
}

/** The holder of an approval block with the duplicates of its lists dropped. */
export function withNormalApproval(holder: JsonObject): JsonObject {
  const { approval } = holder
  if (!isJsonObject(approval)) return holder
  const { roles, scopes } = approval
  return {
    ...holder,
    approval: {
      ...approval,
      ...(roles === undefined ? {} : { roles: once(roles) }),
      ...(scopes === undefined ? {} : { scopes: once(scopes) }),
    },
  }
}

function listed(input: unknown, normal: (item: JsonObject) => JsonObject): JsonObject[] {
  const items = Array.isArray(input) ? input.filter(isJsonObject) : []
  return items.map((item) => withNormalApproval(normal(item)))
}

function once(items: unknown): unknown {
  return Array.isArray(items) ? [...new Set(items)] : items
}
