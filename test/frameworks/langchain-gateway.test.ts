import { readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { startPlannedProvider } from '#harness/mock-provider.ts'
import { startModelGateway } from '#harness/model-gateway.ts'
import { runProgram } from '#harness/program.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'

const PAGE = fileURLToPath(new URL('../../docs/guide/model-gateway.md', import.meta.url))
const MODULES = fileURLToPath(new URL('node_modules', import.meta.url))
const NO_SHELL = { pattern: 'shell_*', reason: 'No shell', severity: 'critical' }

/** Puts the program of the guide in a folder where LangChain is installed. */
async function programOfGuide(): Promise<string> {
  const dir = await temporaryDir()
  const code = /^```js\n([\s\S]*?)^```$/m.exec(await readFile(PAGE, 'utf8'))?.[1] ?? ''
  await symlink(MODULES, join(dir, 'node_modules'))
  const file = join(dir, 'langchain.mjs')
  await writeFile(file, code)
  return file
}

it('the program of the guide for LangChain is governed', async () => {
  const provider = await startPlannedProvider()
  const gateway = await startModelGateway(provider.url)
  const policy = { forbidden: [NO_SHELL] }
  const connect = async (name: string) => {
    const { baseUrl } = await gateway.newAgent({ connection: { provider: name }, policy })
    return baseUrl
  }
  provider.plan({ parts: [{ tool: 'shell_run', input: { command: 'ls' } }] })
  const { code, lines } = await runProgram(await programOfGuide(), {
    env: {
      ANTHROPIC_BASE_URL: await connect('anthropic'),
      ANTHROPIC_API_KEY: 'none',
      OPENAI_BASE_URL: `${await connect('openai')}/v1`,
      OPENAI_API_KEY: 'none',
    },
  })
  const governed = expect.stringMatching(/^Touchstone blocked shell_run: No shell \(dec-.*\) \[\]$/)
  expect(lines).toEqual([governed, governed])
  expect(code).toBe(0)
})
