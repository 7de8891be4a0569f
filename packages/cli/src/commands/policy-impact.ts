import type { Answer } from '@touchstone/sdk'
import { usageError } from '../cli-error.ts'
import { command } from '../command.ts'
import type { Io } from '../io.ts'
import { numberFlag } from '../number-flag.ts'
import {
  AGENT_FLAG,
  type Named,
  type Policy,
  readPolicy,
  scopeOf,
  targetOf,
} from '../policy-target.ts'
import { connect } from '../service.ts'
import { printable, table } from '../table.ts'

type Impact = Answer<'POST', '/v1/policies/impact'>

const RELATIONS = {
  equal: 'equal to',
  stricter: 'stricter than',
  looser: 'looser than',
  incomparable: 'neither stricter nor looser than',
} as const

export const policyImpact = command({
  path: ['policy', 'impact'],
  summary: 'what a draft would change, over all tool names and over the last days',
  details: `The scope in the document, agent or org, says where it would hold. --max-newly-failing and
--forbid-looser make it a gate that exits with 1.`,
  flags: {
    ...AGENT_FLAG,
    days: { type: 'string', value: 'N', summary: 'how far back, 1 to 30; 7 without' },
    'max-newly-failing': {
      type: 'string',
      value: 'N',
      summary: 'no more past calls than this may newly fail',
    },
    'forbid-looser': {
      type: 'boolean',
      summary: 'nothing that is stopped today may be let through',
    },
  },
  args: { file: { summary: 'the draft, YAML or JSON; - for standard input' } },
  async run({ args, flags, io }) {
    const days = numberFlag('days', flags.days, { min: 1, max: 30 })
    const failingMax = numberFlag('max-newly-failing', flags['max-newly-failing'], {
      min: 0,
      max: 1e9,
    })
    const policy = await readPolicy(args.file, io)
    const agent = agentOf(policy, { ...flags, agentDefault: io.env.agent })
    const { client } = await connect(io)
    const answer = await client.request('POST', '/v1/policies/impact', {
      body: {
        policy,
        ...(agent !== undefined && { agent_id: agent }),
        ...(days !== undefined && { days }),
      },
    })
    const reasons = [
      ...tooManyFailing(answer, failingMax),
      ...(flags['forbid-looser'] ? loosening(answer) : []),
    ]
    io.result({ ...answer, passed: reasons.length === 0, reasons }, () =>
      describeImpact(answer, reasons, io),
    )
    return reasons.length === 0 ? 0 : 1
  },
})

/** Undefined for a draft of scope org, which is held against all agents. */
function agentOf(policy: Policy, named: Named): string | undefined {
  if (scopeOf(policy) === 'team') {
    throw usageError('policy impact takes drafts of scope agent or org, and none of scope team.')
  }
  const target = targetOf(policy, named)
  return target.scope === 'org' ? undefined : target.id
}

function tooManyFailing({ newly_failing: failing }: Impact, max = Number.POSITIVE_INFINITY) {
  return failing > max ? [`${failing} past calls would newly fail`] : []
}

/** What was not found out is not known to be harmless either. */
function loosening({ relation, may_loosen: names }: Impact): string[] {
  const mayLetThrough = relation !== 'equal' && relation !== 'stricter'
  return [
    ...(mayLetThrough ? ['the draft may let through what is blocked today'] : []),
    ...(names.length === 0
      ? []
      : [`the draft may let through what is stopped today: ${inWords(names)}`]),
  ]
}

function describeImpact(answer: Impact, reasons: readonly string[], { paint }: Io): string {
  const { relation, newly_failing: failing, newly_passing: passing, unchanged } = answer
  return [
    `The draft is ${relation === null ? 'not comparable with' : RELATIONS[relation]} what holds now.`,
    ...describeNames(answer),
    `Of ${answer.traces_evaluated} past calls ${failing} would newly fail, ${passing} newly pass, ${unchanged} stay.`,
    ...describeTools(answer),
    ...reasons.map((reason) => `${paint.bad('FAILED')} ${reason}`),
  ].join('\n')
}

function describeNames({ counterexample, unweighed }: Impact): string[] {
  const { newly_blocked: blocked, newly_allowed: allowed } = counterexample
  return [
    ...(blocked === null ? [] : [`Newly blocked, for example: ${printable(blocked)}`]),
    ...(allowed === null ? [] : [`Newly let through, for example: ${printable(allowed)}`]),
    ...(unweighed.length === 0
      ? []
      : [`Not weighed: ${inWords(unweighed)}; these depend on more than a tool's name.`]),
  ]
}

function describeTools({ tools }: Impact): string[] {
  if (tools.length === 0) return []
  const lines = tools.map((tool) => [
    printable(tool.tool),
    ...[tool.newly_failing, tool.newly_passing, tool.unchanged].map(String),
  ])
  return [table(['TOOL', 'NEWLY FAILING', 'NEWLY PASSING', 'UNCHANGED'], lines)]
}

function inWords(names: readonly string[]): string {
  return printable(names.join(', ').replaceAll('_', ' '))
}
