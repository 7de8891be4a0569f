import { writeFile } from 'node:fs/promises'
import { CliError, usageError } from '../cli-error.ts'
import { command } from '../command.ts'
import {
  describeIgnored,
  describeStopped,
  type Learned,
  toCommentedYaml,
} from '../learned-policy-text.ts'
import { numberFlag } from '../number-flag.ts'
import { connect } from '../service.ts'
import { isCode } from '../system-error.ts'
import { printable } from '../table.ts'

export const policyLearn = command({
  path: ['policy', 'learn'],
  summary: 'print the least policy that allows what an agent did',
  details: `From recorded decisions and traces: calls that were made, and that nothing spoke against. The policy
lists these tools and blocks all others. It is neither stored nor put in force. Exits with 1 if there is
nothing to learn from. An existing file is never overwritten.`,
  flags: {
    agent: { type: 'string', value: 'ID', summary: 'the agent' },
    days: { type: 'string', value: 'N', summary: 'how many days, 1 to 90; default: 7' },
    to: { type: 'string', value: 'TIME', summary: 'the end of the days; default: now' },
    out: { type: 'string', value: 'FILE', summary: 'write the policy to FILE' },
  },
  args: {},
  async run({ flags, io }) {
    const agent = flags.agent ?? io.env.agent
    if (agent === undefined) throw usageError('policy learn needs --agent.')
    const days = numberFlag('days', flags.days, { min: 1, max: 90 })
    const { client } = await connect(io)
    const learned = await client.request('POST', '/v1/policies/learn', {
      body: {
        agent_id: agent,
        ...(days !== undefined && { days }),
        ...(flags.to !== undefined && { to: flags.to }),
      },
    })
    const yaml = toCommentedYaml(learned)
    if (yaml === undefined) {
      io.result(learned, () => [learned.message, ...describeIgnored(learned)].join('\n'))
      return 1
    }
    if (flags.out === undefined) {
      io.result(learned, () => yaml.trimEnd())
      for (const line of summaryOf(learned)) io.note(printable(line))
      return 0
    }
    const file = flags.out
    await writeNew(file, yaml)
    io.result({ ...learned, file }, () =>
      [
        `Wrote ${file}`,
        ...summaryOf(learned),
        ...describeStopped(learned),
        `To put it in force: touchstone policy apply ${file} --agent ${agent}`,
      ]
        .map(printable)
        .join('\n'),
    )
    return 0
  },
})

function summaryOf(learned: Learned): string[] {
  const { impact } = learned
  return [
    learned.message,
    ...describeIgnored(learned),
    ...(impact === null
      ? []
      : [
          `Of ${impact.traces_evaluated} recorded traces, ${impact.newly_failing} would newly fail and ${impact.newly_passing} would newly pass.`,
        ]),
  ]
}

async function writeNew(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: 'wx' })
  } catch (err) {
    if (!isCode(err, 'EEXIST')) throw err
    throw new CliError('exists', `${file} exists already; choose another file with --out`)
  }
}
