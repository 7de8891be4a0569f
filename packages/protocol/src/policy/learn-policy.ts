import { type CompiledPolicy, compilePolicy } from './compile-policy.ts'
import { conditionKey, type Expression, parseExpression } from './condition-syntax.ts'
import { evaluatePolicy } from './evaluate-policy.ts'
import { isToolName } from './glob.ts'
import { type Placed, placeTools, type UsedTool } from './learned-capabilities.ts'
import {
  type CallFinding,
  type IgnoredCall,
  type Observation,
  weighTraces,
} from './observed-call.ts'
import type {
  MergedPolicy,
  PolicyCard,
  PolicyDocument,
  PolicyMeta,
  PolicyTrigger,
} from './policy.ts'
import { TRIGGERS_MAX } from './policy-shape.ts'
import { resolvePolicy } from './resolve-policy.ts'
import { toolFacts } from './tool-facts.ts'

/**
 * The least policy of an agent that allows what was used and not flagged (spec: governance §2.5). It
 * lists exact names and nothing else: whatever was not seen is blocked, also where the organisation's
 * policy maps it.
 */

export type LearnInput = {
  meta: Pick<PolicyMeta, 'name' | 'description'>
  observations: readonly Observation[]
  /** The policies and the card of today. */
  org?: PolicyDocument | undefined
  agent?: PolicyDocument | undefined
  card?: PolicyCard | undefined
}

/** The calls of one tool that the policy lists. */
export type LearnedRule = {
  tool: string
  effect: 'allow' | 'escalate'
  capability: string
  /** JSON pointers into the policy. */
  path: string
  escalatedBy: string | null
  decisions: number
  traces: number
  firstMs: number
  lastMs: number
}

/** A tool that would have been stopped. */
export type StoppedTool = {
  tool: string
  effect: 'block' | 'escalate'
  /** The policy's own reasons. */
  reasons: readonly string[]
  decisions: number
  traces: number
  findings: Readonly<Partial<Record<CallFinding, number>>>
  lastMs: number
  /** The id of the newest decision and trace. */
  exampleDecision: string | null
  exampleTrace: string | null
}

export type LearnedPolicy = {
  /** Undefined if nothing that was seen can be allowed, or if it is too much for one policy. */
  policy: PolicyDocument | undefined
  tooLarge: boolean
  rules: readonly LearnedRule[]
  stopped: readonly StoppedTool[]
  ignored: Readonly<Partial<Record<IgnoredCall, number>>>
}

const CONDITION_MAX = 500
const DOCUMENT_BYTES_MAX = 262_144

export function learnPolicy(input: LearnInput): LearnedPolicy {
  const current = resolvePolicy(input)?.policy
  const compiled = current && compilePolicy({ policy: current, card: input.card })
  const seen = judgeTools(input.observations, compiled)
  const used = [...seen.values()].flatMap((tool) => usedTool(tool) ?? [])
  const ignored = countIgnored(seen.values())
  const written = used.length === 0 ? undefined : write(used, input, { current, compiled })
  if (written === undefined) {
    return { policy: undefined, tooLarge: used.length > 0, rules: [], stopped: [], ignored }
  }
  const { policy, rules } = written
  return { policy, tooLarge: false, rules, stopped: stoppedTools(input, policy, seen), ignored }
}

/** Undefined if the tools are too many for one document. */
function write(
  used: readonly UsedTool[],
  input: LearnInput,
  today: { current: MergedPolicy | undefined; compiled: CompiledPolicy | undefined },
) {
  const placed = placeTools(used, { ...input, ...today })
  const triggers = placed && learnedTriggers(used, placed, input)
  if (placed === undefined || triggers === undefined) return undefined
  const policy = documentOf(input, placed, triggers.all)
  if (isTooLong(policy)) return undefined
  return { policy, rules: used.map((tool) => toRule(tool, placed, triggers)) }
}

/** Such a document could not be stored (spec: governance §1.4). */
function isTooLong(policy: PolicyDocument): boolean {
  return new TextEncoder().encode(JSON.stringify(policy)).length > DOCUMENT_BYTES_MAX
}

type SeenTool = { tool: string; calls: readonly Observation[] }

/** By name, each with its calls as they count. */
function judgeTools(
  observations: readonly Observation[],
  compiled: CompiledPolicy | undefined,
): Map<string, SeenTool> {
  const grouped = new Map<string, Observation[]>()
  for (const one of observations) {
    const known = grouped.get(one.tool)
    if (known === undefined) grouped.set(one.tool, [one])
    else known.push(one)
  }
  const names = [...grouped.keys()].sort()
  return new Map(
    names.map((tool) => {
      const calls = weighTraces(weighWarnings(tool, grouped.get(tool) ?? [], compiled))
      const hurdle = hurdleOf(tool, calls, compiled)
      const counted = hurdle === undefined ? calls : calls.map((one) => held(one, hurdle))
      return [tool, { tool, calls: counted }]
    }),
  )
}

/**
 * A trace tells that there was a warning, but not which. If the policy of today blocks the tool, it was
 * the grace period or a policy that has been made stricter; neither proves that the tool may be used.
 */
function weighWarnings(
  tool: string,
  calls: readonly Observation[],
  compiled: CompiledPolicy | undefined,
): readonly Observation[] {
  const isWarned = (one: Observation) => one.warned === true && one.finding === 'used'
  if (compiled === undefined || !calls.some(isWarned)) return calls
  const isBlocked = violationsOf(compiled, tool, newestMs(calls)).some(({ blocking }) => blocking)
  return isBlocked
    ? calls.map((one) => (isWarned(one) ? { ...one, finding: 'failed_policy' } : one))
    : calls
}

function newestMs(calls: readonly Observation[]): number {
  return Math.max(...calls.map(({ lastMs }) => lastMs))
}

/** For a call without arguments, and without a grace period. */
function violationsOf(compiled: CompiledPolicy, tool: string, nowMs: number) {
  const call = { tools: [tool], context: 'audit', nowMs, firstSeenMs: new Map() } as const
  return evaluatePolicy(compiled, call).violations
}

function held(one: Observation, finding: IgnoredCall): Observation {
  return isProof(one) ? { ...one, finding } : one
}

/** The reason why a tool cannot be listed although it was used. */
function hurdleOf(
  tool: string,
  calls: readonly Observation[],
  compiled: CompiledPolicy | undefined,
): IgnoredCall | undefined {
  // A name with these characters is a pattern, which would allow other tools.
  if (!isToolName(tool) || /[*?]/.test(tool)) return 'unusable_name'
  if (compiled !== undefined && toolFacts(compiled, tool).blocked) return 'forbidden_now'
  const isOnlyAsked = !calls.some(({ finding }) => finding === 'used')
  return isOnlyAsked && [...isTool(tool)].length > CONDITION_MAX - 2 ? 'unusable_name' : undefined
}

function isProof({ finding }: Observation): boolean {
  return finding === 'used' || finding === 'asked'
}

/** Undefined without a call that proves anything. */
function usedTool({ tool, calls }: SeenTool): UsedTool | undefined {
  const proofs = calls.filter(isProof)
  if (proofs.length === 0) return undefined
  const isUsed = proofs.some(({ finding }) => finding === 'used')
  return { tool, effect: isUsed ? 'allow' : 'escalate', calls: proofs }
}

function countIgnored(seen: Iterable<SeenTool>): LearnedPolicy['ignored'] {
  const counts: Partial<Record<IgnoredCall, number>> = {}
  for (const { calls } of seen) {
    for (const { finding, count } of calls) {
      if (finding !== 'used' && finding !== 'asked')
        counts[finding] = (counts[finding] ?? 0) + count
    }
  }
  return counts
}

type Triggers = {
  all: readonly PolicyTrigger[]
  /** The place of the trigger that escalates a tool. */
  asking: ReadonlyMap<string, number>
}

/** The triggers of today and those that are learned; undefined if they are too many. */
function learnedTriggers(
  used: readonly UsedTool[],
  { placeholder }: Placed,
  { agent }: LearnInput,
): Triggers | undefined {
  const all: PolicyTrigger[] = [...(agent?.escalation_triggers ?? [])]
  const taken = new Set(all.map(({ condition }) => conditionKey(condition)))
  const add = (terms: readonly string[], rule: Omit<PolicyTrigger, 'condition'>) => {
    // One condition must not occur in two triggers; in parentheses it is another one.
    const text = terms.join(' or ')
    const condition = taken.has(conditionKey(text)) ? `(${text})` : text
    return all.push({ condition, ...rule }) - 1
  }
  const asking = alwaysFiring(all, 'escalate')
  const asked = used.filter(({ tool, effect }) => effect === 'escalate' && !asking.has(tool))
  for (const tools of packed(asked.map(({ tool }) => tool))) {
    const at = add(tools.map(isTool), {
      action: 'escalate',
      reason: 'So far used only in calls about which a person was to be asked',
    })
    for (const tool of tools) asking.set(tool, at)
  }
  if (placeholder !== undefined && !alwaysFiring(all, 'deny').has(placeholder)) {
    add([isTool(placeholder)], { action: 'deny', reason: 'Stands for a list without tools' })
  }
  return all.length > TRIGGERS_MAX ? undefined : { all, asking }
}

/**
 * The tools about whose every call one of these triggers fires, with its place. So what was learned
 * before is not learned again: the triggers of a policy would become more and repeat each other.
 */
function alwaysFiring(
  triggers: readonly PolicyTrigger[],
  action: PolicyTrigger['action'],
): Map<string, number> {
  const firing = new Map<string, number>()
  for (const [at, trigger] of triggers.entries()) {
    if (trigger.action !== action) continue
    for (const tool of namedIn(parseExpression(trigger.condition))) {
      if (!firing.has(tool)) firing.set(tool, at)
    }
  }
  return firing
}

/** The names in a condition of the form `tool == 'a' or tool == 'b'`. */
function namedIn(expression: Expression): string[] {
  if (expression.kind === 'or') return expression.parts.flatMap(namedIn)
  if (expression.kind !== 'comparison' || expression.operator !== '==') return []
  const { left, right } = expression
  const isOfTool = left.kind === 'name' && left.name === 'tool'
  return isOfTool && right.kind === 'literal' ? [String(right.value)] : []
}

function isTool(name: string): string {
  return `tool == '${name.replaceAll(/[\\']/g, '\\$&')}'`
}

/** As many names to a condition as fit, with room for parentheses. */
function packed(names: readonly string[]): string[][] {
  const packs: string[][] = []
  let room = 0
  for (const name of names) {
    const needed = [...isTool(name)].length + ' or '.length
    const last = packs.at(-1)
    if (last === undefined || needed > room) {
      packs.push([name])
      room = CONDITION_MAX - '()'.length - needed + ' or '.length
    } else {
      last.push(name)
      room -= needed
    }
  }
  return packs
}

/** Everything else in the policy of today stays, because it stops calls that cannot be seen by name. */
function documentOf(
  { meta, agent }: LearnInput,
  placed: Placed,
  triggers: readonly PolicyTrigger[],
): PolicyDocument {
  return {
    ...agent,
    meta: { schema_version: agent?.meta.schema_version ?? '1.0', ...meta, scope: 'agent' },
    capability_mappings: placed.mappings,
    forbidden: agent?.forbidden ?? [],
    escalation_triggers: triggers,
    defaults: {
      ...agent?.defaults,
      unmapped_tool_action: 'block',
      enforcement_mode: 'enforce',
      grace_period_hours: 0,
      fail_open: false,
    },
  }
}

function toRule(
  { tool, effect, calls }: UsedTool,
  { places }: Placed,
  { asking }: Triggers,
): LearnedRule {
  const place = places.get(tool)
  const at = effect === 'escalate' ? asking.get(tool) : undefined
  return {
    tool,
    effect,
    capability: place?.capability ?? '',
    path: place?.path ?? '',
    escalatedBy: at === undefined ? null : `/escalation_triggers/${at}`,
    ...countSources(calls),
    firstMs: Math.min(...calls.map(({ firstMs }) => firstMs)),
    lastMs: Math.max(...calls.map(({ lastMs }) => lastMs)),
  }
}

function countSources(calls: readonly Observation[]) {
  const of = (wanted: Observation['source']) =>
    calls.reduce((sum, { source, count }) => (source === wanted ? sum + count : sum), 0)
  return { decisions: of('decision'), traces: of('trace') }
}

/** Evaluates every tool that was seen, with the policy in force. */
function stoppedTools(
  { org, card }: LearnInput,
  learned: PolicyDocument,
  seen: ReadonlyMap<string, SeenTool>,
): StoppedTool[] {
  const policy = resolvePolicy({ org, agent: learned })?.policy
  if (policy === undefined) return []
  const compiled = compilePolicy({ policy, card })
  return [...seen.values()].flatMap(({ tool, calls }) => {
    const lastMs = newestMs(calls)
    const violations = violationsOf(compiled, tool, lastMs)
    const blocking = violations.filter((one) => one.blocking)
    const stopping =
      blocking.length > 0 ? blocking : violations.filter((one) => one.action === 'escalate')
    if (stopping.length === 0) return []
    const findings: Partial<Record<CallFinding, number>> = {}
    for (const { finding, count } of calls) findings[finding] = (findings[finding] ?? 0) + count
    return [
      {
        tool,
        effect: blocking.length > 0 ? ('block' as const) : ('escalate' as const),
        reasons: [...new Set(stopping.map(({ reason }) => reason))],
        ...countSources(calls),
        findings,
        lastMs,
        exampleDecision: newestOf(calls, 'decision'),
        exampleTrace: newestOf(calls, 'trace'),
      },
    ]
  })
}

function newestOf(calls: readonly Observation[], source: Observation['source']): string | null {
  const found = calls.filter((one) => one.source === source)
  const newest = found.sort((a, b) => b.lastMs - a.lastMs || (a.example < b.example ? 1 : -1))[0]
  return newest?.example ?? null
}
