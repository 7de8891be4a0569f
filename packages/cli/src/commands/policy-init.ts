import { access, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CliError } from '../cli-error.ts'
import { command } from '../command.ts'
import { PACK_FILES, POLICY_PACKS, packFile } from '../policy-packs.ts'
import { table } from '../table.ts'

export const policyInit = command({
  path: ['policy', 'init'],
  summary: 'write a policy and its tests to start from; needs no service',
  details: 'Without --pack, lists the packs. Existing files are never overwritten.',
  flags: {
    pack: {
      type: 'string',
      choices: POLICY_PACKS.map(({ name }) => name),
      summary: 'the kind of agent',
    },
    dir: { type: 'string', value: 'FOLDER', summary: 'where to write (default: this folder)' },
  },
  args: {},
  async run({ flags, io }) {
    const { pack, dir = '.' } = flags
    if (pack === undefined) {
      io.result({ packs: POLICY_PACKS }, () =>
        table(
          ['PACK', 'FOR AN AGENT THAT'],
          POLICY_PACKS.map(({ name, summary }) => [name, summary]),
        ),
      )
      return 0
    }
    const written = PACK_FILES.map((file) => join(dir, file))
    for (const path of written) await requireAbsent(path)
    await mkdir(dir, { recursive: true })
    for (const file of PACK_FILES) {
      await writeFile(join(dir, file), await readFile(packFile(pack, file)), { flag: 'wx' })
    }
    const [policy = '', tests = ''] = written
    io.result({ pack, files: written }, () =>
      [
        ...written.map((path) => `Wrote ${path}`),
        `Adapt them, then run: touchstone policy test ${tests}`,
        `To put the policy in force: touchstone policy apply ${policy} --agent ID`,
      ].join('\n'),
    )
    return 0
  },
})

async function requireAbsent(path: string): Promise<void> {
  try {
    await access(path)
  } catch {
    return
  }
  throw new CliError('exists', `${path} exists already; choose another folder with --dir`)
}
