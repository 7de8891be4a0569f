import {
  CONNECT_TEST_SESSION,
  type CompiledPolicy,
  type CompileInput,
  compilePolicy,
  type Decision,
  decideCall,
  evaluatePolicy,
} from '@touchstone/protocol/policy'
import { DIALECTS, type HookClient } from '@touchstone/sdk/hooks'
import { sampleOf } from './samples.ts'

/** A call of a test: the input of the client, and the call as policies see it. */
export type Probe = {
  input: object
  tool: string
  args: Readonly<Record<string, unknown>> | undefined
}

export type Probes = {
  /** Undefined if the policy lets no tool through that it names. */
  harmless: Probe | undefined
  /** Undefined if the policy blocks no tool that it names, and not every unknown tool. */
  forbidden: Probe | undefined
}

/** No client has such a tool. */
const TEST_TOOL = 'touchstone_connect_test'

/**
 * Chooses a call that the policy lets through and one that it blocks, also if the policy lists only
 * what is allowed. A call about which a person would be asked is neither.
 */
export function chooseProbes(client: HookClient, rules: CompileInput | undefined): Probes {
  const test = probeOf(client, TEST_TOOL)
  if (rules === undefined) return { harmless: test, forbidden: undefined }
  const compiled = compilePolicy(rules)
  const { forbidden, capability_mappings: mappings } = rules.policy
  const mapped = Object.values(mappings).flatMap(({ tools }) => tools)
  const named = [TEST_TOOL, ...mapped]
  const find = (patterns: readonly string[], fits: (probe: Probe) => boolean) => {
    for (const pattern of patterns) {
      const probe = probeOf(client, pattern.replaceAll(/[*?]/g, 'x'))
      if (fits(probe)) return probe
    }
    return undefined
  }
  return {
    harmless: find(named, (probe) => passes(compiled, probe)),
    forbidden: find([...forbidden.map(({ pattern }) => pattern), ...named], (probe) =>
      isBlocked(compiled, probe),
    ),
  }
}

function probeOf(client: HookClient, tool: string): Probe {
  const call = { session: CONNECT_TEST_SESSION, tool, arguments: { command: 'true' } }
  const { before: input } = sampleOf(client, call)
  const read = DIALECTS[client].read(input)
  if (read?.event !== 'pre_tool') throw new Error(`the sample of ${client} is no call of a tool`)
  return { input, tool: read.tool, args: read.arguments }
}

/** Without a grace period, because only the service knows whether there is one. */
function passes(policy: CompiledPolicy, probe: Probe): boolean {
  return ['allow', 'warn'].includes(decide(policy, probe, new Map([[probe.tool, 0]])))
}

/** Even within a grace period. */
function isBlocked(policy: CompiledPolicy, probe: Probe): boolean {
  return decide(policy, probe, new Map()) === 'block'
}

function decide(
  policy: CompiledPolicy,
  { tool, args }: Probe,
  firstSeenMs: ReadonlyMap<string, number>,
): Decision {
  const call = { tools: [tool], context: 'gateway', nowMs: Date.now(), firstSeenMs, args } as const
  const evaluation = evaluatePolicy(policy, call)
  return decideCall({
    tool,
    containment: 'active',
    hold: false,
    agentMode: 'observe',
    policy: { outcome: 'evaluated', mode: policy.defaults.enforcement_mode, evaluation },
  }).decision
}
