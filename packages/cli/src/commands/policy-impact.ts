import type { Answer } from '@touchstone/sdk'
import { usageError } from '../cli-error.ts'
import { command } from '../command.ts'
import type { Io } from '../io.ts'
import { numberFlag } from '../number-flag.ts'
import {
  AGENT_FLAG,
  type Policy,
  readPolicy,
  scopeOf,
  type TargetFlags,
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
  summary: 'show what a draft policy would change, for all tool names and for past calls',
  details: `The scope in the document, agent or org, says where it would apply. With --max-newly-failing or
--forbid-looser the command is a gate that exits with 1 if it fails.`,
  flags: {
    ...AGENT_FLAG,
    days: {
      type: 'string',
      value: 'N',
      summary: 'how many days of past calls, 1 to 30; default: 7',
    },
    'max-newly-failing': {
      type: 'string',
      value: 'N',
      summary: 'fail if more than N past calls would newly fail',
    },
    'forbid-looser': {
      type: 'boolean',
      summary: 'fail if the draft may allow a call that is stopped today',
    },
  },
  args: { file: { summary: 'the draft policy, YAML or JSON; - for standard input' } },
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
      ...failingReasons(answer, failingMax),
      ...(flags['forbid-looser'] ? looserReasons(answer) : []),
    ]
    io.result({ ...answer, passed: reasons.length === 0, reasons }, () =>
      describeImpact(answer, reasons, io),
    )
    return reasons.length === 0 ? 0 : 1
  },
})

/** Undefined for a draft of scope org, which is compared for all agents. */
function agentOf(policy: Policy, flags: TargetFlags): string | undefined {
  if (scopeOf(policy) === 'team') {
    throw usageError('policy impact supports drafts of scope agent or org, not of scope team.')
  }
  const target = targetOf(policy, flags)
  return target.scope === 'org' ? undefined : target.id
}

function failingReasons({ newly_failing: failing }: Impact, max = Number.POSITIVE_INFINITY) {
  return failing > max ? [`${failing} past calls would newly fail`] : []
}

/** An unknown relation (null) counts as looser, because it may be. */
function looserReasons({ relation, may_loosen: names }: Impact): string[] {
  const mayAllowMore = relation !== 'equal' && relation !== 'stricter'
  return [
    ...(mayAllowMore ? ['the draft may allow tools that are blocked today'] : []),
    ...(names.length === 0
      ? []
      : [`the draft may allow calls that are stopped today: ${toWords(names)}`]),
  ]
}

function describeImpact(answer: Impact, reasons: readonly string[], { paint }: Io): string {
  const { relation, newly_failing: failing, newly_passing: passing, unchanged } = answer
  const compared = relation === null ? 'not comparable with' : RELATIONS[relation]
  return [
    `By the names of tools, the draft is ${compared} the current policy.`,
    ...describeNames(answer),
    `Of ${answer.traces_evaluated} past calls, ${failing} would newly fail, ${passing} would newly pass and ${unchanged} would not change.`,
    ...describeTools(answer),
    ...reasons.map((reason) => `${paint.bad('FAILED')} ${reason}`),
  ].join('\n')
}

function describeNames({ counterexample, unweighed, may_loosen: loosened }: Impact): string[] {
  const { newly_blocked: blocked, newly_allowed: allowed } = counterexample
  return [
    ...(blocked === null ? [] : [`Newly blocked, for example: ${printable(blocked)}`]),
    ...(allowed === null ? [] : [`Newly allowed, for example: ${printable(allowed)}`]),
    ...(unweighed.length === 0
      ? []
      : [`Not compared: ${toWords(unweighed)}; these depend on more than the tool name.`]),
    ...(loosened.length === 0
      ? []
      : [`May allow calls that are stopped today: ${toWords(loosened)}`]),
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

function toWords(names: readonly string[]): string {
  return printable(names.join(', ').replaceAll('_', ' '))
}
