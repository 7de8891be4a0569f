import { dirname, join } from 'node:path'
import { isJsonObject } from '@touchstone/protocol/base'
import { type PolicyTestResult, runPolicyTests, validatePolicy } from '@touchstone/protocol/policy'
import type { Answer } from '@touchstone/sdk'
import { CliError } from '../cli-error.ts'
import { command, type ExitCode } from '../command.ts'
import { readYaml } from '../documents.ts'
import type { Io } from '../io.ts'
import { AGENT_FLAG, type Policy, readPolicy, type Target, targetOf } from '../policy-target.ts'
import { type Connection, connect, organisationOf } from '../service.ts'
import { printable } from '../table.ts'

const FILES = {
  files: { summary: 'policy documents, YAML or JSON; - for standard input', rest: true },
} as const

export const policyValidate = command({
  path: ['policy', 'validate'],
  summary: 'check policies for errors and for rules without effect; needs no service',
  details: 'Exits with 1 if a document is invalid, or with --strict if there is a warning.',
  flags: { strict: { type: 'boolean', summary: 'treat warnings as errors' } },
  args: FILES,
  async run({ args, flags, io }) {
    const outcomes: Outcome[] = []
    for (const file of args.files) {
      const { valid, errors, warnings } = validatePolicy(await readYaml(file, io))
      outcomes.push({ file, valid, errors, warnings })
    }
    io.result({ files: outcomes }, () =>
      outcomes.map((outcome) => describeFindings(outcome, io)).join('\n'),
    )
    const isAccepted = outcomes.every(
      ({ valid, warnings }) => valid && !(flags.strict && warnings.length > 0),
    )
    return isAccepted ? 0 : 1
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
  summary: 'run policy tests; needs no service',
  details: 'Exits with 1 if a test fails and with 2 if a file is invalid.',
  flags: {},
  args: { files: { summary: 'policy test files, YAML or JSON; - for standard input', rest: true } },
  async run({ args, io }) {
    const runs: ({ file: string } & FileRun)[] = []
    for (const file of args.files) runs.push({ file, ...(await runFile(file, io)) })
    const passed = runs.reduce((sum, run) => sum + run.passed, 0)
    const failed = runs.reduce((sum, run) => sum + run.failed, 0)
    io.result({ passed, failed, files: runs }, () => {
      const lines = runs.flatMap(({ file, results }) =>
        results.flatMap(({ name, passed: isPassed, differences }) => [
          `${isPassed ? io.paint.good('ok') : io.paint.bad('FAIL')}  ${file}: ${printable(name)}`,
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

/** A test file may name the file of its policy, relative to itself, instead of containing it. */
async function readPolicyTests(file: string, io: Io): Promise<unknown> {
  const tests = await readYaml(file, io)
  if (!isJsonObject(tests) || typeof tests['policy_file'] !== 'string') return tests
  const { policy_file: policyFile, ...rest } = tests
  if ('policy' in rest || 'layers' in rest) {
    throw new CliError('unreadable', `${file}#/policy_file: excludes policy and layers`)
  }
  const folder = file === '-' ? '.' : dirname(file)
  return { ...rest, policy: await readYaml(join(folder, policyFile), io) }
}

async function runFile(file: string, io: Io): Promise<FileRun> {
  const run = runPolicyTests(await readPolicyTests(file, io))
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

export const policyApply = command({
  path: ['policy', 'apply'],
  summary: 'store a policy and put it in force',
  details:
    'The scope in the document says where it applies: agent (--agent), team (--team), or org.',
  flags: {
    ...AGENT_FLAG,
    team: { type: 'string', value: 'ID', summary: 'the team, for a policy of scope team' },
  },
  args: { file: { summary: 'the policy, YAML or JSON; - for standard input' } },
  async run({ args, flags, io }): Promise<ExitCode> {
    const policy = await readPolicy(args.file, io)
    const outcome = validatePolicy(policy)
    if (!outcome.valid) {
      const { valid, errors, warnings } = outcome
      const findings = { file: args.file, valid, errors, warnings }
      io.result({ applied: false, ...findings }, () => describeFindings(findings, io))
      return 1
    }
    const target = targetOf(policy, { ...flags, agentDefault: io.env.agent })
    const { answer, holder } = await store(await connect(io), { policy, target })
    io.result({ applied: true, holds_for: holder, policy: answer }, () => {
      const warnings = answer.warnings.map(({ path = '', message = '' }) => `${path} ${message}`)
      return [
        `${answer.id}, version ${answer.version}, is now in force for ${describeHolder(holder)}.`,
        ...warnings.map((text) => `${io.paint.warning('warning')} ${printable(text)}`),
      ].join('\n')
    })
    return 0
  },
})

type Holder = { scope: Target['scope']; id: string }

async function store(
  connection: Connection,
  { policy, target }: { policy: Policy; target: Target },
): Promise<{ answer: Answer<'PUT', '/v1/agents/{agent_id}/policy'>; holder: Holder }> {
  const { client } = connection
  const body = policy
  const id = target.scope === 'org' ? await organisationOf(connection) : target.id
  const holder = { scope: target.scope, id }
  switch (target.scope) {
    case 'agent': {
      const params = { agent_id: id }
      const answer = await client.request('PUT', '/v1/agents/{agent_id}/policy', { params, body })
      return { answer, holder }
    }
    case 'team': {
      const params = { team_id: id }
      const answer = await client.request('PUT', '/v1/teams/{team_id}/policy', { params, body })
      return { answer, holder }
    }
    case 'org': {
      const params = { org_id: id }
      const answer = await client.request('PUT', '/v1/orgs/{org_id}/policy', { params, body })
      return { answer, holder }
    }
  }
}

function describeHolder({ scope, id }: Holder): string {
  return scope === 'org' ? `the whole organisation (${printable(id)})` : `${scope} ${printable(id)}`
}
