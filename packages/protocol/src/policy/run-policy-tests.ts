import { compilePolicy } from './compile-policy.ts'
import { evaluatePolicy } from './evaluate-policy.ts'
import type { Evaluation, PolicyViolation } from './evaluation.ts'
import { mergeTransaction } from './merge-transaction.ts'
import type { MergedPolicy } from './policy.ts'
import {
  type ExpectedViolation,
  type PolicyTestCase,
  type PolicyTestReading,
  readPolicyTests,
  VIOLATION_FIELDS,
} from './policy-test-file.ts'
import { resolvePolicy } from './resolve-policy.ts'
import { runSessionTest } from './run-session-test.ts'

export type PolicyTestResult = {
  name: string
  passed: boolean
  /** One sentence for each way in which the evaluation differs from what was expected. */
  differences: readonly string[]
  evaluation: Evaluation
}

export type PolicyTestRun =
  | { valid: true; passed: number; failed: number; results: readonly PolicyTestResult[] }
  | Extract<PolicyTestReading, { valid: false }>

/**
 * Runs a file of policy tests, already parsed from YAML or JSON. No case runs if the file has
 * faults.
 */
export function runPolicyTests(input: unknown): PolicyTestRun {
  const reading = readPolicyTests(input)
  if (!reading.valid) return reading
  const { org, agent, cases } = reading.file
  const resolved = resolvePolicy({ org, agent })
  // INVARIANT: a file without any layer is not valid.
  if (resolved === undefined) throw new Error('a valid file of policy tests must have a policy')
  const results = cases.map((test) => runCase(resolved.policy, test))
  const passed = results.filter((result) => result.passed).length
  return { valid: true, passed, failed: results.length - passed, results }
}

function runCase(policy: MergedPolicy, test: PolicyTestCase): PolicyTestResult {
  const { name, card, transaction } = test
  const merged = transaction && {
    policy: mergeTransaction({
      transactionId: 'test',
      resolved: policy,
      teams: [],
      tools: transaction.tools,
    }).policy,
  }
  const compiled = compilePolicy({ policy, card, unnarrowed: policy, ...merged })
  const { calls } = test
  if (calls !== undefined) {
    const ran = runSessionTest(compiled, { ...test, calls })
    return { name, passed: ran.differences.length === 0, ...ran }
  }
  const evaluation = evaluatePolicy(compiled, test)
  const differences = [
    ...(evaluation.verdict === test.verdict
      ? []
      : [
          `expected ${test.verdict}, but the verdict is ${evaluation.verdict}${because(evaluation)}`,
        ]),
    ...(test.violations === undefined
      ? []
      : violationDifferences(test.violations, evaluation.violations)),
  ]
  return { name, passed: differences.length === 0, differences, evaluation }
}

function because({ verdict, violations, warnings }: Evaluation): string {
  if (verdict === 'pass') return ''
  const [first] = violations.filter(({ blocking }) => blocking || verdict === 'warn')
  if (first !== undefined) return `: ${describeViolation(first)}, "${first.reason}"`
  const [warning] = warnings
  return warning === undefined ? '' : `: ${warning.type} on "${warning.tool}", "${warning.reason}"`
}

/** Each expected violation must match a different actual one, and none may be left over. */
function violationDifferences(
  expected: readonly ExpectedViolation[],
  violations: readonly PolicyViolation[],
): string[] {
  const left = [...violations]
  // The most specific expectations match first, because the fewest violations fit them.
  const ordered = [...expected].sort((a, b) => Object.keys(b).length - Object.keys(a).length)
  const missing = ordered.filter((wanted) => {
    const at = left.findIndex((violation) => isExpected(wanted, violation))
    if (at !== -1) left.splice(at, 1)
    return at === -1
  })
  return [
    ...missing.map((wanted) => `missing violation: ${JSON.stringify(wanted)}`),
    ...left.map((violation) => `unexpected violation: ${describeViolation(violation)}`),
  ]
}

function isExpected(wanted: ExpectedViolation, violation: PolicyViolation): boolean {
  return VIOLATION_FIELDS.every(
    (field) => wanted[field] === undefined || wanted[field] === violation[field],
  )
}

function describeViolation({ type, tool, rule, severity }: PolicyViolation): string {
  return `${type} on "${tool}" by "${rule}" (${severity})`
}
