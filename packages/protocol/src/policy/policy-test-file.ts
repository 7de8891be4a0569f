import { createShape, type Finding, isJsonObject, pointer, type Shape } from '../base/shape.ts'
import {
  EVALUATION_CONTEXTS,
  type EvaluationContext,
  type PolicyVerdict,
  type TransactionStatus,
} from './evaluation.ts'
import { isToolName } from './glob.ts'
import { type PolicyCard, type PolicyDocument, type PolicyScope, SEVERITIES } from './policy.ts'
import { readCalls, type TestCall } from './policy-test-calls.ts'
import { validatePolicy } from './validate-policy.ts'

/** A file that states what policies must decide; see docs/guide/policy-tests.md. */
export type PolicyTestFile = {
  org: PolicyDocument | undefined
  agent: PolicyDocument | undefined
  cases: readonly PolicyTestCase[]
}

export type PolicyTestCase = {
  name: string
  tools: readonly string[]
  card: PolicyCard | undefined
  context: EvaluationContext
  nowMs: number
  firstSeenMs: ReadonlyMap<string, number>
  enforcedSinceMs: number | undefined
  args: Readonly<Record<string, unknown>> | undefined
  transaction:
    | { status: TransactionStatus; actionType: string; tools: readonly string[] }
    | undefined
  verdict: PolicyVerdict
  /** All expected violations, in any order, each by the fields that matter to the author. */
  violations: readonly ExpectedViolation[] | undefined
  /** Decided one after the other, instead of evaluating `tools`. */
  calls: readonly TestCall[] | undefined
}

export type ExpectedViolation = Readonly<
  Partial<Record<(typeof VIOLATION_FIELDS)[number], string | boolean>>
>

export type PolicyTestReading =
  | { valid: true; file: PolicyTestFile }
  | { valid: false; errors: readonly Finding[] }

const CASES_MAX = 1000
const TOOLS_MAX = 500
const NAME = { min: 1, max: 200 }

const FILE_FIELDS = ['policy', 'layers', 'card', 'now', 'cases']
const CASE_FIELDS = [
  'name',
  'tools',
  'card',
  'context',
  'now',
  'first_seen',
  'enforced_since',
  'args',
  'transaction',
  'verdict',
  'violations',
  'calls',
]
/** The fields that a case with calls does not have. */
const EVALUATION_FIELDS = ['tools', 'args', 'verdict', 'violations']
export const VIOLATION_FIELDS = [
  'type',
  'tool',
  'rule',
  'severity',
  'blocking',
  'capability',
  'action',
  'reason',
] as const
const VERDICTS = ['pass', 'warn', 'fail']
const STATUSES = ['active', 'completed', 'expired']

/** A fixed time, so that a file means the same every day: a Thursday, at midnight. */
const NOW = '2026-01-01T00:00:00Z'

/** Takes the file as parsed from YAML or JSON, and reports the path of each fault. */
export function readPolicyTests(input: unknown): PolicyTestReading {
  const shape = createShape()
  const file = shape.closedObject('', input, FILE_FIELDS)
  if (file === undefined) return { valid: false, errors: shape.errors }
  const layers = readLayers(shape, file)
  const common = {
    card: readCard(shape, '/card', file['card']),
    nowMs: readInstant(shape, '/now', file['now'] ?? NOW),
  }
  const items = shape.array('/cases', file['cases'], { min: 1, max: CASES_MAX })
  const cases = items.map((item, at) => readCase(shape, pointer('/cases', at), { item, common }))
  if (shape.errors.length > 0) return { valid: false, errors: shape.errors }
  return { valid: true, file: { ...layers, cases: cases.filter((of) => of !== undefined) } }
}

function readLayers(shape: Shape, file: Readonly<Record<string, unknown>>) {
  const { policy, layers } = file
  if ((policy === undefined) === (layers === undefined)) {
    shape.fail('', 'required', 'must have either policy or layers')
    return { org: undefined, agent: undefined }
  }
  if (layers === undefined) {
    const document = readPolicy(shape, '/policy', { input: policy, scope: undefined })
    return { org: undefined, agent: document }
  }
  const of = shape.closedObject('/layers', layers, ['org', 'agent'])
  if (of !== undefined && of['org'] === undefined && of['agent'] === undefined) {
    shape.fail('/layers', 'required', 'must have org, agent or both')
  }
  return {
    org: readPolicy(shape, '/layers/org', { input: of?.['org'], scope: 'org' }),
    agent: readPolicy(shape, '/layers/agent', { input: of?.['agent'], scope: 'agent' }),
  }
}

function readPolicy(
  shape: Shape,
  path: string,
  { input, scope }: { input: unknown; scope: PolicyScope | undefined },
): PolicyDocument | undefined {
  if (input === undefined) return undefined
  const outcome = validatePolicy(input, { scope })
  if (outcome.valid) return outcome.policy
  for (const { path: at, code, message } of outcome.errors) shape.fail(path + at, code, message)
  return undefined
}

type Common = { card: PolicyCard | undefined; nowMs: number }

function readCase(
  shape: Shape,
  path: string,
  { item, common }: { item: unknown; common: Common },
): PolicyTestCase | undefined {
  const given = shape.closedObject(path, item, CASE_FIELDS)
  if (given === undefined) return undefined
  const isSequence = given['calls'] !== undefined
  if (isSequence) refuseEvaluation(shape, path, given)
  const { name, card, context = 'audit', now, enforced_since, args, verdict } = given
  shape.text(`${path}/name`, name, NAME)
  shape.oneOf(`${path}/context`, context, EVALUATION_CONTEXTS)
  if (!isSequence) shape.oneOf(`${path}/verdict`, verdict, VERDICTS)
  if (args !== undefined) shape.object(`${path}/args`, args)
  const enforced = `${path}/enforced_since`
  // Every field is checked; if one is wrong, the file has faults and the case is not used. So the
  // casts are safe, here and below.
  return {
    name: String(name),
    tools: isSequence ? [] : readTools(shape, `${path}/tools`, given['tools']),
    // Null means no card, even if the file has one for the other cases.
    card:
      readCard(shape, `${path}/card`, card ?? undefined) ??
      (card === null ? undefined : common.card),
    context: context as EvaluationContext,
    nowMs: now === undefined ? common.nowMs : readInstant(shape, `${path}/now`, now),
    firstSeenMs: readFirstSeen(shape, `${path}/first_seen`, given['first_seen']),
    enforcedSinceMs:
      enforced_since === undefined ? undefined : readInstant(shape, enforced, enforced_since),
    args: isJsonObject(args) ? args : undefined,
    transaction: readTransaction(shape, `${path}/transaction`, given['transaction']),
    verdict: verdict as PolicyVerdict,
    violations: readViolations(shape, `${path}/violations`, given['violations']),
    calls: isSequence ? readCalls(shape, `${path}/calls`, given['calls']) : undefined,
  }
}

function refuseEvaluation(
  shape: Shape,
  path: string,
  given: Readonly<Record<string, unknown>>,
): void {
  for (const field of EVALUATION_FIELDS) {
    if (given[field] === undefined) continue
    shape.fail(`${path}/${field}`, 'conflicting_fields', 'must be absent from a case with calls')
  }
}

function readTools(shape: Shape, path: string, input: unknown): string[] {
  const items = shape.array(path, input, { max: TOOLS_MAX })
  return items.map((tool, at) => {
    if (typeof tool === 'string' && isToolName(tool)) return tool
    const message = 'must be a tool name: 1 to 256 characters without white space'
    shape.fail(pointer(path, at), typeof tool === 'string' ? 'pattern' : 'type', message)
    return ''
  })
}

/** The part of an alignment card that policies are checked against; other fields are allowed. */
function readCard(shape: Shape, path: string, input: unknown): PolicyCard | undefined {
  if (input === undefined) return undefined
  const card = shape.object(path, input)
  const at = `${path}/autonomy_envelope`
  const envelope = card && shape.object(at, card['autonomy_envelope'])
  if (envelope === undefined) return undefined
  const { bounded_actions, forbidden_actions = [] } = envelope
  return {
    autonomy_envelope: {
      bounded_actions: readTexts(shape, `${at}/bounded_actions`, bounded_actions),
      forbidden_actions: readTexts(shape, `${at}/forbidden_actions`, forbidden_actions),
    },
  }
}

function readTexts(shape: Shape, path: string, input: unknown): string[] {
  return shape.array(path, input, {}).map((item, at) => {
    shape.text(pointer(path, at), item)
    return String(item)
  })
}

function readInstant(shape: Shape, path: string, input: unknown): number {
  return shape.instant(path, input)?.getTime() ?? 0
}

function readFirstSeen(shape: Shape, path: string, input: unknown): Map<string, number> {
  const seen = input === undefined ? {} : (shape.object(path, input) ?? {})
  return new Map(
    Object.entries(seen).map(([tool, at]) => [tool, readInstant(shape, pointer(path, tool), at)]),
  )
}

function readTransaction(
  shape: Shape,
  path: string,
  input: unknown,
): PolicyTestCase['transaction'] {
  if (input === undefined) return undefined
  const given = shape.closedObject(path, input, ['status', 'action_type', 'tools'])
  if (given === undefined) return undefined
  const { status = 'active', action_type = 'tool_invocation' } = given
  shape.oneOf(`${path}/status`, status, STATUSES)
  shape.text(`${path}/action_type`, action_type, NAME)
  return {
    status: status as TransactionStatus,
    actionType: String(action_type),
    tools: readTools(shape, `${path}/tools`, given['tools']),
  }
}

function readViolations(
  shape: Shape,
  path: string,
  input: unknown,
): readonly ExpectedViolation[] | undefined {
  if (input === undefined) return undefined
  return shape.array(path, input, {}).map((item, index) => {
    const at = pointer(path, index)
    const given = shape.closedObject(at, item, VIOLATION_FIELDS)
    for (const [field, value] of Object.entries(given ?? {})) {
      const place = pointer(at, field)
      if (field === 'blocking') shape.boolean(place, value)
      else if (field === 'severity') shape.oneOf(place, value, SEVERITIES)
      else shape.text(place, value)
    }
    // The cast is safe once the shape has no faults, which the caller checks.
    return (given ?? {}) as ExpectedViolation
  })
}
