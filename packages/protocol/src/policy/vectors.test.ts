import { describe, expect, it } from 'vitest'
import { compilePolicy } from './compile-policy.ts'
import { decideCall } from './decide.ts'
import { evaluatePolicy, toolsFirstSeen } from './evaluate-policy.ts'
import type { EvaluationCall } from './evaluation.ts'
import { matchesGlob, patternCovers } from './glob.ts'
import { mergeTransaction } from './merge-transaction.ts'
import {
  type EvaluateVector,
  NOW_MS,
  namedCard,
  namedPolicy,
  policyOf,
  resolved,
  VECTORS,
} from './policy.fixture.ts'
import { readPolicyCondition } from './policy-condition.ts'
import { validatePolicy } from './validate-policy.ts'

describe('globs', () => {
  it.each(VECTORS.glob)('$id: $pattern on $tool is $match', ({ pattern, tool, match }) => {
    expect(matchesGlob(pattern, tool)).toBe(match)
  })

  it.each(VECTORS.pattern_cover)('$id: $forbidden covers $mapping is $covered', (vector) => {
    expect(patternCovers(vector.forbidden, vector.mapping)).toBe(vector.covered)
  })
})

describe('conditions', () => {
  it.each(VECTORS.conditions)('$id: $condition is $value', ({ condition, value }) => {
    const reading = readPolicyCondition(condition)
    expect(reading).toMatchObject({ valid: true })
    if (reading.valid) {
      expect(reading.condition.holds(VECTORS.condition_environment)).toBe(value)
    }
  })

  it.each(VECTORS.invalid_conditions)('%j is invalid', (condition) => {
    expect(readPolicyCondition(condition)).toMatchObject({ valid: false })
  })
})

describe('validation on the path of an agent', () => {
  it.each(VECTORS.validation_json_on_agent_path)('$id: $title', ({ document, expected }) => {
    const outcome = validatePolicy(document, { scope: 'agent' })
    expect(statusOf(outcome)).toBe(expected.status)
    if (expected.codes !== undefined) {
      expect(outcome.errors.map(({ code }) => code)).toEqual(expected.codes)
    }
  })
})

function statusOf(outcome: ReturnType<typeof validatePolicy>): number {
  if (outcome.valid) return 200
  return outcome.problem === 'invalid_request' ? 400 : 422
}

describe('the merge of an organisation with an agent', () => {
  it.each(VECTORS.merge)('$id: $title', ({ org, agent, expected }) => {
    const found = resolved(org, agent)
    expect(found?.mergeStrategy).toBe(expected.merge_strategy)
    const { policy } = found ?? {}
    expect(Object.keys(policy?.capability_mappings ?? {})).toEqual(expected.capabilities)
    expect(policy?.forbidden).toEqual(expected.forbidden)
    if (expected.mapping) expect(policy?.capability_mappings).toEqual(expected.mapping)
    if (expected.triggers) expect(policy?.escalation_triggers).toMatchObject(expected.triggers)
    if (expected.defaults) expect(policy?.defaults).toEqual(expected.defaults)
  })
})

describe('evaluation', () => {
  it.each(VECTORS.evaluate)('$id: $title', (vector) => {
    const { evaluation, call } = evaluated(vector)
    expect({ ...evaluation, first_seen_recorded: toolsFirstSeen(call) }).toMatchObject(
      vector.expected,
    )
  })
})

function evaluated(vector: EvaluateVector) {
  const agent = namedPolicy(vector.agent_policy)
  const defaults = { ...agent?.defaults, ...vector.overlay_defaults }
  const policy = resolved(vector.org_policy, agent && { ...agent, defaults })?.policy
  if (policy === undefined) throw new Error('the vector has no policy')
  const card = namedCard(vector.card)
  const { transaction } = vector
  const merged =
    transaction &&
    mergeTransaction({
      transactionId: 't',
      resolved: policy,
      teams: [],
      tools: transaction.tools,
    }).policy
  const seen = Object.entries(vector.first_seen ?? {})
  const call: EvaluationCall = {
    tools: vector.tools,
    context: vector.context ?? 'gateway',
    nowMs: NOW_MS,
    firstSeenMs: new Map(seen.map(([tool, at]) => [tool, Date.parse(at)])),
    enforcedSinceMs: vector.enforced_since ? Date.parse(vector.enforced_since) : undefined,
    transaction: transaction && { ...transaction, actionType: transaction.action_type },
    args: vector.args,
  }
  const compiled = compilePolicy({ policy: merged ?? policy, card, unnarrowed: policy })
  return {
    evaluation: evaluatePolicy(compiled, call),
    call,
    mode: compiled.defaults.enforcement_mode,
  }
}

describe('the merge of a transaction', () => {
  it.each(VECTORS.transaction_merge)('$id: $title', ({ resolved_from, expected, ...vector }) => {
    const { policy, faults } = mergeTransaction({
      transactionId: 't',
      resolved: resolved(resolved_from.org, resolved_from.agent)?.policy,
      teams: (vector.teams ?? []).map(policyOf),
      own: vector.policy && policyOf(vector.policy),
      tools: vector.tools,
    })
    const { errors, ...parts } = expected
    for (const [part, value] of Object.entries(parts)) {
      expect(policy).toHaveProperty(part, value)
    }
    expect(faults.map(({ tool, problem }) => ({ tool, problem }))).toEqual(errors)
  })
})

describe('decisions', () => {
  it.each(VECTORS.decide)('$id: $title', ({ expected, ...vector }) => {
    const policy = policyPart(vector)
    const { decision, reasons } = decideCall({
      tool: vector.evaluate?.tools[0] ?? 'tool',
      containment: vector.containment,
      hold: vector.hold ?? false,
      agentMode: vector.agent_mode ?? 'observe',
      policy,
    })
    expect({
      http: vector.containment === 'active' ? 200 : 403,
      decision,
      codes: reasons.map(({ code }) => code),
    }).toEqual(expected)
  })
})

function policyPart({ error, fail_open, evaluate }: Partial<(typeof VECTORS.decide)[number]>) {
  if (error) return { outcome: 'failed', failOpen: fail_open ?? false } as const
  return evaluate ? ({ outcome: 'evaluated', ...evaluated(evaluate) } as const) : undefined
}
