import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'
import { PYTHON, usePython } from '../../tools/python.mjs'

const pathOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const EXAMPLES = pathOf('examples/')
/** Python is optional on the machine, unless REQUIRE_PYTHON=1. */
const hasPython = usePython()

let t: TestApp
let url: string

beforeAll(async () => {
  t = await testApp()
  t.clock.set(new Date().toISOString())
  url = await t.app.server.listen({ port: 0, host: '127.0.0.1' })
})

/** Passes only the given variables, so that no setting of the test run has an effect. */
async function runPython(
  args: readonly string[],
  given: { cwd?: string; env?: Record<string, string>; input?: string } = {},
) {
  const child = spawn(PYTHON, args, {
    cwd: given.cwd,
    env: {
      PATH: process.env['PATH'],
      PYTHONPATH: pathOf('packages/python/src'),
      PYTHONDONTWRITEBYTECODE: '1',
      ...given.env,
    },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += String(chunk)
    })
  }
  child.stdin.end(given.input ?? '')
  const [code] = await once(child, 'close')
  return { code, lines: output.trim().split('\n') }
}

describe.skipIf(!hasPython)('the Python guide', () => {
  it('consists of code blocks that run as one program, except for those of frameworks', async () => {
    const text = await readFile(pathOf('docs/guide/python.md'), 'utf8')
    const blocks = [...text.matchAll(/^```python\n([\s\S]*?)^```$/gm)].map(([, code]) => code)
    const dir = await temporaryDir()
    await mkdir(join(dir, '.touchstone'))
    const { api_key, email, password } = t.first
    const credentials = JSON.stringify({ base_url: url, api_key, email, password })
    await writeFile(join(dir, '.touchstone', 'credentials.json'), credentials)
    const { code, lines } = await runPython(['-'], { cwd: dir, input: blocks.join('\n') })
    expect(lines).toEqual([
      'observe',
      '404 agent_not_found',
      '1',
      "False ['The agent has no score yet.', 'The agent has no assurance level yet; at least 2 (relayed) is needed.']",
      'allow True True',
      'order 1182 is in the depot',
      'blocked shell_run was not called: it is not allowed. No shell',
      'shell_run was not called: it is not allowed. No shell',
      'order 7 is in the depot',
      '0',
      'True signature: ok; record: ok; chain: ok; input_commitment: ok',
    ])
    expect(code).toBe(0)
  })
})

describe.skipIf(!hasPython)('the page that connects Python', () => {
  it('consists of code blocks that run as one program, which a policy stops', async () => {
    const text = await readFile(pathOf('docs/connect/python.md'), 'utf8')
    const [policy] = text.match(/(?<=^```yaml\n)[\s\S]*?(?=^```$)/m) ?? []
    const blocks = [...text.matchAll(/^```python\n([\s\S]*?)^```$/gm)].map(([, code]) => code)
    const call = async (method: string, path: string, body: unknown, headers = {}) =>
      (await t.call(method, path, { token: t.first.api_key, body, headers })).body
    const agentId = 'connected-python'
    await call('POST', '/v1/agents', { agent_id: agentId })
    const yaml = { 'content-type': 'application/yaml' }
    await call('PUT', `/v1/agents/${agentId}/policy`, policy, yaml)
    const scopes = ['decide', 'ingest']
    const bound = { agent_id: agentId, role: 'member', scopes, client: 'sdk' }
    const { key } = await call('POST', '/v1/api-keys', bound)
    const env = { TOUCHSTONE_URL: url, TOUCHSTONE_API_KEY: key, TOUCHSTONE_AGENT: agentId }
    const { code, lines } = await runPython(['-'], { env, input: blocks.join('\n') })
    expect(lines).toEqual([
      'Order 1182 leaves the depot today.',
      'shell_run was not called: it is not allowed. No shell here',
    ])
    expect(code).toBe(0)
  })
})

describe.skipIf(!hasPython)('the examples in Python', () => {
  it('are all covered by this test', async () => {
    const programs = (await readdir(EXAMPLES)).filter((name) => name.endsWith('.py'))
    expect(programs).toEqual(['guarded_function.py'])
  })

  it('guard functions', async () => {
    const { code, lines } = await runPython([`${EXAMPLES}guarded_function.py`], {
      env: {
        TOUCHSTONE_URL: url,
        TOUCHSTONE_API_KEY: t.first.api_key,
        TOUCHSTONE_APPROVER: await t.ownerToken(),
      },
    })
    expect(lines).toEqual([
      'shop_search: allow',
      'order 1182 is in the depot',
      'shell_run: block',
      'shell_run was not called: it is not allowed. No shell',
      'shop_refund: escalate',
      'shop_refund was not called: a person has to approve it first. Refunds need approval',
      'shop_refund: allow',
      'refunded 20',
      expect.stringMatching(/^recorded: /),
      expect.stringMatching(/^recorded: /),
      expect.stringMatching(/^recorded: /),
      expect.stringMatching(/^recorded: /),
    ])
    expect(code).toBe(0)
  })
})
