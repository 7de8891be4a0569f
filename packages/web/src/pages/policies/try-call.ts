import {
  compilePolicy,
  type Evaluation,
  evaluatePolicy,
  type PolicyDocument,
  type PolicyRules,
  resolvePolicy,
  runPolicyTests,
} from '@touchstone/protocol/policy'
import type { Owner } from './owner.ts'

export type TriedCall = {
  tool: string
  args: Readonly<Record<string, unknown>> | undefined
  /** The tools that the session called before, oldest first. */
  before: readonly string[]
}

type Layers = { org: PolicyRules | undefined; agent: PolicyDocument | undefined }

/** The policies that a call is tried against: an agent's with that of its organisation. */
export function layersOf(
  kind: Owner['kind'],
  draft: PolicyDocument,
  org: PolicyRules | undefined,
): Layers {
  if (kind === 'agent') return { org, agent: draft }
  return { org: draft, agent: undefined }
}

const RULES = [
  'capability_mappings',
  'forbidden',
  'escalation_triggers',
  'limits',
  'flows',
  'model_limits',
  'defaults',
] as const

/** The rules of an organisation as a document, without the fields that only the service adds. */
function documentOf(org: PolicyRules): object {
  const rules = RULES.flatMap((field) => (org[field] === undefined ? [] : [[field, org[field]]]))
  const meta = { schema_version: '1.1', name: 'organisation', scope: 'org' }
  return { meta, ...Object.fromEntries(rules) }
}

/** Evaluates the last call of a session, with the code that the gateway decides with. */
export function tryCall(layers: Layers, { tool, args, before }: TriedCall): Evaluation {
  const call = (name: string, given?: object) => ({
    tool: name,
    // A test expects a decision; only the evaluation is read.
    decision: 'allow',
    ...(given === undefined ? {} : { args: given }),
  })
  const calls = [...before.map((name) => call(name)), call(tool, args)]
  const org = layers.org && documentOf(layers.org)
  const given = { ...(org && { org }), ...(layers.agent && { agent: layers.agent }) }
  const run = runPolicyTests({ layers: given, cases: [{ name: 'tried', calls }] })
  if (!run.valid) {
    const [first] = run.errors
    throw new Error(`${first?.path ?? ''}: ${first?.message ?? 'The call cannot be evaluated.'}`)
  }
  const [result] = run.results
  if (result === undefined) throw new Error('There is no call to evaluate.')
  return result.evaluation
}

/** The arguments of a call as JSON; undefined if the text is empty. */
export function readArguments(text: string): Readonly<Record<string, unknown>> | undefined {
  if (text.trim() === '') return undefined
  const value: unknown = JSON.parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error('Arguments must be a JSON object, such as {"amount": 20}.')
  }
  return { ...value }
}

/**
 * The service evaluates only agent drafts; organisation and team drafts are evaluated here by the
 * same code.
 */
export function evaluateLocally(
  draft: PolicyDocument,
  tools: readonly string[],
  context: 'gateway' | 'audit',
): Evaluation {
  const resolved = resolvePolicy({ org: draft })
  if (resolved === undefined) throw new Error('There is no policy to evaluate.')
  return evaluatePolicy(compilePolicy({ policy: resolved.policy }), {
    tools,
    context,
    nowMs: Date.now(),
    firstSeenMs: new Map(),
  })
}
