import { cp, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { GuardWorld } from '#harness/guarded.ts'
import { runProgram } from '#harness/program.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'

const EXAMPLES = fileURLToPath(new URL('../../examples', import.meta.url))
const MODULES = fileURLToPath(new URL('node_modules', import.meta.url))

/** Runs an example against the service of a test, in a folder where the frameworks are installed. */
export async function runExample(w: GuardWorld, name: string, env: Record<string, string>) {
  const dir = await temporaryDir()
  await cp(EXAMPLES, dir, { recursive: true })
  await symlink(MODULES, join(dir, 'node_modules'))
  const connection = { TOUCHSTONE_URL: w.baseUrl, TOUCHSTONE_API_KEY: w.t.first.api_key }
  const { code, lines } = await runProgram(join(dir, name), { env: { ...connection, ...env } })
  const query = { agent_id: 'example-shop-desk', per_page: 100 }
  const { traces } = await w.touchstone.request('GET', '/v1/traces', { query })
  const recorded = traces.map(({ action }) => `${action.type} ${action.name}`).reverse()
  return { code, lines, recorded }
}

/** The code of a page in docs/connect, which is the example of that name. */
export async function pageCode(page: string): Promise<{ page: string; example: string }> {
  const text = await readFile(join(EXAMPLES, '..', 'docs', 'connect', `${page}.md`), 'utf8')
  const example = await readFile(join(EXAMPLES, `${page}.mjs`), 'utf8')
  return { page: /^```js\n([\s\S]*?)^```$/m.exec(text)?.[1] ?? '', example }
}
