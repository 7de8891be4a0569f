import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { startService, temporaryDir } from '#harness/process.ts'

const pathOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/** What a reader of the page types, in one piece. */
async function commandsIn(page: string): Promise<string> {
  const text = await readFile(pathOf(page), 'utf8')
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block).join('\n')
}

/** A folder like a clone in which the service runs, so that nothing is written into the real one. */
async function readersFolder(): Promise<string> {
  const dir = await temporaryDir()
  await mkdir(join(dir, 'docs'))
  await cp(pathOf('docs/guide'), join(dir, 'docs/guide'), { recursive: true })
  await symlink(pathOf('node_modules'), join(dir, 'node_modules'))
  return dir
}

async function type(commands: string, cwd: string) {
  const child = spawn('bash', ['-euo', 'pipefail', '-c', commands], {
    cwd,
    env: {
      PATH: `${pathOf('node_modules/.bin')}:${process.env['PATH']}`,
      HOME: cwd,
      TOUCHSTONE_CONFIG: join(cwd, 'config.json'),
    },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += String(chunk)
    })
  }
  const [code] = await once(child, 'close')
  return { code, output }
}

describe('the commands of the guide', () => {
  it('do what the pages on the command line and on MCP say', async () => {
    const dir = await readersFolder()
    await startService({ DATA_DIR: join(dir, '.touchstone') }, ['--empty'])
    // npx looks for the program on the path, too, but needs a second for it each time.
    const typed = async (page: string) => type((await commandsIn(page)).replaceAll('npx ', ''), dir)
    const cli = await typed('docs/guide/cli.md')
    expect(cli).toMatchObject({ code: 0, output: expect.stringContaining('60\n') })
    expect(cli.output).toMatch(/^passed {2}the minimum is met$/m)
    expect(cli.output).toMatch(/^8 passed, 0 failed$/m)
    expect(cli.output).toMatch(/^valid +yes$/m)
    const card = JSON.parse(await readFile(join(dir, 'agent-card-with-trust.json'), 'utf8'))
    expect(card.capabilities.extensions[0].params).toMatchObject({ provider: 'touchstone' })
    const mcp = await typed('docs/guide/mcp.md')
    expect(mcp.output).toContain('agent file-desk, tools are asked about as mcp__filesystem__*')
    expect(mcp.code).toBe(0)
  })
})
