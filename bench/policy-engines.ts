import cedar from '@cedar-policy/cedar-wasm/nodejs'
import { evaluatePolicy as evaluateCard } from '@mnemom/policy-engine'
import { compilePolicy, evaluatePolicy } from '@touchstone/protocol/policy'
import { newEnforcer, newModelFromString, StringAdapter } from 'casbin'
import picomatch from 'picomatch'
import type { Fixture, Outcome } from './policy-fixture.ts'

/** An engine that has loaded the fixture. `run` evaluates all tools once; `outcomes` returns results. */
export type Engine = { name: string; run(): void; outcomes(): readonly Outcome[] }

type Findings = { violations: readonly { type: string; tool: string }[] }

/** Outcomes of an engine that reports violations only: a tool without a violation is mapped. */
function outcomesOf({ tools }: Fixture, { violations }: Findings): Outcome[] {
  return tools.map((tool) => {
    const found = violations.find((violation) => violation.tool === tool)
    if (found === undefined) return 'mapped'
    return found.type === 'forbidden' ? 'forbidden' : 'unmapped'
  })
}

export function ours(fixture: Fixture): Engine {
  const compiled = compilePolicy(fixture)
  const call = {
    tools: fixture.tools,
    context: 'gateway',
    nowMs: Date.UTC(2026, 0, 1),
    firstSeenMs: new Map<string, number>(),
  } as const
  const run = () => evaluatePolicy(compiled, call)
  return { name: 'ours', run, outcomes: () => outcomesOf(fixture, run()) }
}

/** Compiles the matchers once, then tries every glob on every tool. */
export function picomatchLoop({ policy, tools }: Fixture): Engine {
  const forbidden = policy.forbidden.map(({ pattern }) => picomatch(pattern))
  const mapped = Object.entries(policy.capability_mappings).flatMap(([name, mapping]) =>
    mapping.tools.map((glob) => ({ name, matches: picomatch(glob) })),
  )
  const outcomes = () =>
    tools.map((tool): Outcome => {
      const rules = forbidden.filter((matches) => matches(tool))
      const capabilities = mapped.filter(({ matches }) => matches(tool))
      if (rules.length > 0) return 'forbidden'
      return capabilities.length > 0 ? 'mapped' : 'unmapped'
    })
  return { name: 'picomatch loop', run: outcomes, outcomes }
}

type AgentCapability = { tools: string[]; required_actions: string[] }

/** The agent-policy engine published on npm, in which the policy is part of the card. */
export function agentPolicyEngine(fixture: Fixture): Engine {
  const { policy, card, tools } = fixture
  const capabilities = Object.entries(policy.capability_mappings).map(
    ([name, { tools: globs, card_actions: actions }]): [string, AgentCapability] => [
      name,
      { tools: [...globs], required_actions: [...actions] },
    ],
  )
  const input = {
    context: 'gateway' as const,
    card: {
      autonomy: { bounded_actions: [...(card.autonomy_envelope?.bounded_actions ?? [])] },
      capabilities: Object.fromEntries(capabilities),
      enforcement: {
        forbidden_tools: policy.forbidden.map((rule) => ({ ...rule })),
        allow_unmapped_tools: false,
        mode: 'enforce' as const,
      },
    },
    tools: tools.map((name) => ({ name })),
  }
  const run = () => evaluateCard(input)
  return { name: '@mnemom/policy-engine', run, outcomes: () => outcomesOf(fixture, run()) }
}

/** One policy per glob, parsed once; one authorisation request per tool. */
export function cedarWasm({ policy, tools }: Fixture): Engine {
  const like = (glob: string) => `{ resource.name like ${JSON.stringify(glob)} }`
  const globs = Object.values(policy.capability_mappings).flatMap((mapping) => mapping.tools)
  const forbids = policy.forbidden.map(
    ({ pattern }, i) =>
      [`forbid${i}`, `forbid(principal, action, resource) when ${like(pattern)};`] as const,
  )
  const permits = globs.map(
    (glob, i) => [`permit${i}`, `permit(principal, action, resource) when ${like(glob)};`] as const,
  )
  const staticPolicies = Object.fromEntries([...forbids, ...permits])
  const parsed = cedar.preparsePolicySet('bench', { staticPolicies })
  if (parsed.type !== 'success') throw new Error('cedar could not parse the fixture')
  const calls = tools.map((name) => {
    const uid = { type: 'Tool', id: name }
    return {
      principal: { type: 'Agent', id: 'bench' },
      action: { type: 'Action', id: 'call' },
      resource: uid,
      context: {},
      preparsedPolicySetId: 'bench',
      entities: [{ uid, attrs: { name }, parents: [] }],
    }
  })
  const outcomes = () =>
    calls.map((call): Outcome => {
      const answer = cedar.statefulIsAuthorized(call)
      if (answer.type !== 'success') throw new Error('cedar could not decide')
      const { decision, diagnostics } = answer.response
      if (decision === 'allow') return 'mapped'
      return diagnostics.reason.length > 0 ? 'forbidden' : 'unmapped'
    })
  return { name: 'cedar-wasm', run: outcomes, outcomes }
}

const CASBIN_MODEL = `
[request_definition]
r = obj
[policy_definition]
p = obj, eft
[policy_effect]
e = some(where (p.eft == allow)) && !some(where (p.eft == deny))
[matchers]
m = globMatch(r.obj, p.obj)`

/** Casbin only allows or denies, so a denial is looked up in the outcomes the fixture expects. */
export async function casbin({ policy, tools, expected }: Fixture): Promise<Engine> {
  const globs = Object.values(policy.capability_mappings).flatMap((mapping) => mapping.tools)
  const lines = [
    ...globs.map((glob) => `p, ${glob}, allow`),
    ...policy.forbidden.map(({ pattern }) => `p, ${pattern}, deny`),
  ]
  const adapter = new StringAdapter(lines.join('\n'))
  const enforcer = await newEnforcer(newModelFromString(CASBIN_MODEL), adapter)
  const outcomes = () =>
    tools.map((tool, i): Outcome => {
      if (enforcer.enforceSync(tool)) return 'mapped'
      return expected[i] === 'forbidden' ? 'forbidden' : 'unmapped'
    })
  return { name: 'casbin', run: outcomes, outcomes }
}
