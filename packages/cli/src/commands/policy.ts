import {
  isJsonObject,
  type PolicyTestResult,
  runPolicyTests,
  validatePolicy,
} from '@touchstone/protocol'
import { CliError, usageError } from '../cli-error.ts'
import { command, type ExitCode } from '../command.ts'
import { readYaml } from '../documents.ts'
import type { Io } from '../io.ts'
import { numberFlag } from '../number-flag.ts'
import { type Connection, connect, organisationOf } from '../service.ts'
import { printable, table } from '../table.ts'

const FILES = {
  files: { summary: 'policy documents, YAML or JSON; - for standard input', rest: true },
} as const

const RELATIONS = {
  equal: 'equal to',
  stricter: 'stricter than',
  looser: 'looser than',
  incomparable: 'neither stricter nor looser than',
} as const

export const policyValidate = command({
  path: ['policy', 'validate'],
  summary: 'say what is wrong with a policy, and what in it does nothing; needs no service',
  details: 'Exits with 1 when a document is not valid, or with --strict when there is a warning.',
  flags: { strict: { type: 'boolean', summary: 'warnings count as faults' } },
  args: FILES,
  async run({ args, flags, io }) {
    const outcomes: Outcome[] = []
    for (const file of args.files) {
      const { valid, errors, warnings } = validatePolicy(await readYaml(file, io))
      outcomes.push({ file, valid, errors, warnings })
    }
    io.result({ files: outcomes }, () =>
      outcomes.map((one) => describeFindings(one, io)).join('\n'),
    )
    const isGood = outcomes.every(
      ({ valid, warnings }) => valid && !(flags.strict && warnings.length > 0),
    )
    return isGood ? 0 : 1
  },
})

type Outcome = { file: string } & Pick<
  ReturnType<typeof validatePolicy>,
  'valid' | 'errors' | 'warnings'
>

function describeFindings({ file, valid, errors, warnings }: Outcome, { paint }: Io): string {
  const verdict = valid ? paint.good('ok') : paint.bad('FAILED')
  return [
    `${verdict}  ${file}`,
    ...errors.map(
      ({ path, message }) => `      ${paint.bad('error')} ${path} ${printable(message)}`,
    ),
    ...warnings.map(
      ({ path, message }) => `      ${paint.warning('warning')} ${path} ${printable(message)}`,
    ),
  ].join('\n')
}

export const policyTest = command({
  path: ['policy', 'test'],
  summary: 'run files of policy tests; needs no service',
  details: 'Exits with 1 when a test fails and with 2 when a file is not right.',
  flags: {},
  args: { files: { summary: 'files of tests, YAML or JSON; - for standard input', rest: true } },
  async run({ args, io }) {
    const runs: ({ file: string } & FileRun)[] = []
    for (const file of args.files) runs.push({ file, ...(await runFile(file, io)) })
    const passed = runs.reduce((sum, run) => sum + run.passed, 0)
    const failed = runs.reduce((sum, run) => sum + run.failed, 0)
    io.result({ passed, failed, files: runs }, () => {
      const lines = runs.flatMap(({ file, results }) =>
        results.flatMap(({ name, passed: good, differences }) => [
          `${good ? io.paint.good('ok') : io.paint.bad('FAIL')}  ${file}: ${printable(name)}`,
          ...differences.map((difference) => `      ${printable(difference)}`),
        ]),
      )
      return [...lines, `${passed} passed, ${failed} failed`].join('\n')
    })
    return failed === 0 ? 0 : 1
  },
})

type FileRun = {
  passed: number
  failed: number
  results: readonly Pick<PolicyTestResult, 'name' | 'passed' | 'differences'>[]
}

async function runFile(file: string, io: Io): Promise<FileRun> {
  const run = runPolicyTests(await readYaml(file, io))
  if (!run.valid) {
    const lines = run.errors.map(({ path, message }) => `${file}#${path}: ${message}`)
    throw new CliError('unreadable', lines.join('; '))
  }
  const results = run.results.map(({ name, passed, differences }) => ({
    name,
    passed,
    differences,
  }))
  return { passed: run.passed, failed: run.failed, results }
}

const AGENT = {
  agent: { type: 'string', value: 'ID', summary: 'whose policy it is, for one of scope agent' },
} as const

export const policyImpact = command({
  path: ['policy', 'impact'],
  summary: 'what a draft would change, over all tool names and over the last days',
  details: `The scope in the document says where it would hold. --max-newly-failing and --forbid-looser
make it a gate that exits with 1.`,
  flags: {
    ...AGENT,
    days: { type: 'string', value: 'N', summary: 'how far back, 1 to 30; 7 without' },
    'max-newly-failing': {
      type: 'string',
      value: 'N',
      summary: 'no more past calls than this may newly fail',
    },
    'forbid-looser': {
      type: 'boolean',
      summary: 'no name that is blocked today may be let through',
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
    const agent = agentFor(policy, flags.agent ?? io.env.agent)
    const { client } = await connect(io)
    const answer = await client.request('POST', '/v1/policies/impact', {
      body: {
        policy,
        ...(agent !== undefined && { agent_id: agent }),
        ...(days !== undefined && { days }),
      },
    })
    const { relation, newly_failing: failing, newly_passing: passing, unchanged, tools } = answer
    // What was not found out is not known to be harmless either.
    const mayBeLooser = relation !== 'equal' && relation !== 'stricter'
    const reasons = [
      ...(failingMax !== undefined && failing > failingMax
        ? [`${failing} past calls would newly fail`]
        : []),
      ...(flags['forbid-looser'] && mayBeLooser
        ? ['the draft may let through what is blocked today']
        : []),
    ]
    io.result({ ...answer, passed: reasons.length === 0, reasons }, () =>
      [
        `The draft is ${relation === null ? 'not comparable with' : RELATIONS[relation]} what holds now.`,
        `Of ${answer.traces_evaluated} past calls ${failing} would newly fail, ${passing} newly pass, ${unchanged} stay.`,
        ...(tools.length === 0
          ? []
          : [
              table(
                ['TOOL', 'NEWLY FAILING', 'NEWLY PASSING', 'UNCHANGED'],
                tools.map((tool) => [
                  printable(tool.tool),
                  ...[tool.newly_failing, tool.newly_passing, tool.unchanged].map(String),
                ]),
              ),
            ]),
        ...reasons.map((reason) => `${io.paint.bad('FAILED')} ${reason}`),
      ].join('\n'),
    )
    return reasons.length === 0 ? 0 : 1
  },
})

export const policyApply = command({
  path: ['policy', 'apply'],
  summary: 'store a policy, so that it holds from now on',
  details:
    'The scope in the document says where: agent with --agent, team with --team, org for all.',
  flags: {
    ...AGENT,
    team: { type: 'string', value: 'ID', summary: 'whose policy it is, for one of scope team' },
  },
  args: { file: { summary: 'the policy, YAML or JSON; - for standard input' } },
  async run({ args, flags, io }): Promise<ExitCode> {
    const policy = await readPolicy(args.file, io)
    const outcome = validatePolicy(policy)
    if (!outcome.valid) {
      const { valid, errors, warnings } = outcome
      const found = { file: args.file, valid, errors, warnings }
      io.result({ applied: false, ...found }, () => describeFindings(found, io))
      return 1
    }
    const answer = await apply(await connect(io), policy, {
      agent: flags.agent ?? io.env.agent,
      team: flags.team,
    })
    io.result({ applied: true, policy: answer }, () => {
      const warnings = answer.warnings.map(({ path = '', message = '' }) => `${path} ${message}`)
      const done = `${answer.id}, version ${answer.version}, holds now.`
      return [
        done,
        ...warnings.map((text) => `${io.paint.warning('warning')} ${printable(text)}`),
      ].join('\n')
    })
    return 0
  },
})

type Policy = Record<string, unknown>

async function apply(
  connection: Connection,
  policy: Policy,
  { agent, team }: { agent: string | undefined; team: string | undefined },
) {
  const { client } = connection
  const scope = scopeOf(policy)
  if (scope === 'agent') {
    const params = { agent_id: agentFor(policy, agent) ?? '' }
    return client.request('PUT', '/v1/agents/{agent_id}/policy', { params, body: policy })
  }
  if (scope === 'team') {
    if (team === undefined) throw usageError('A policy of scope team needs --team.')
    const params = { team_id: team }
    return client.request('PUT', '/v1/teams/{team_id}/policy', { params, body: policy })
  }
  const params = { org_id: await organisationOf(connection) }
  return client.request('PUT', '/v1/orgs/{org_id}/policy', { params, body: policy })
}

async function readPolicy(file: string, io: Io): Promise<Policy> {
  const policy = await readYaml(file, io)
  if (!isJsonObject(policy)) throw new CliError('unreadable', `${file}: not a policy document`)
  return policy
}

function scopeOf({ meta }: Policy): unknown {
  return isJsonObject(meta) ? meta['scope'] : undefined
}

function agentFor(policy: Policy, agent: string | undefined): string | undefined {
  if (scopeOf(policy) !== 'agent') return undefined
  if (agent === undefined) throw usageError('A policy of scope agent needs --agent.')
  return agent
}
