import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createTouchstone, type Touchstone } from '@touchstone/sdk'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { textOf } from '#harness/checkpoints.ts'
import { eventually } from '#harness/eventually.ts'
import { runProgram, startProgram } from '#harness/program.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'
import { startToolModel, type Turn } from '#harness/tool-model.ts'

const EXAMPLES = fileURLToPath(new URL('../../examples/', import.meta.url))
const GUIDE = fileURLToPath(new URL('../../docs/guide/sdk.md', import.meta.url))
const AGENT = 'example-shop-desk'

let t: TestApp
let touchstone: Touchstone
let connection: Record<string, string>

beforeAll(async () => {
  t = await testApp()
  t.clock.set(new Date().toISOString())
  const url = await t.app.server.listen({ port: 0, host: '127.0.0.1' })
  connection = { TOUCHSTONE_URL: url, TOUCHSTONE_API_KEY: t.first.api_key }
  touchstone = createTouchstone({ baseUrl: url, token: t.first.api_key })
})

const start = (name: string, env: Record<string, string>) =>
  startProgram(`${EXAMPLES}${name}`, { env: { ...connection, ...env } })

const run = (name: string, env: Record<string, string> = {}, args: readonly string[] = []) =>
  runProgram(`${EXAMPLES}${name}`, { env: { ...connection, ...env }, args })

async function recordedActions(): Promise<string[]> {
  const query = { agent_id: AGENT, per_page: 3 }
  const { traces } = await touchstone.request('GET', '/v1/traces', { query })
  return traces.map(({ action }) => `${action.type} ${action.name}`).sort()
}

const SCRIPT: readonly Turn[] = [
  { thinking: textOf(1), calls: [{ name: 'shop_search', input: { order: 1182 } }] },
  { thinking: textOf(2), calls: [{ name: 'shell_run', input: { command: 'ls' } }] },
  { thinking: textOf(3), calls: [{ name: 'shop_refund', input: { order: 1182, amount: 20 } }] },
  { text: 'It is due tomorrow. A colleague will look at the refund.' },
]
const FOUND = '{"order":1182,"status":"in the depot","due":"tomorrow"}'
const NO_SHELL = 'shell_run was not called: it is not allowed. No shell'
const NEEDS_APPROVAL =
  'shop_refund was not called: a person has to approve it first. Refunds need approval'
const FINAL_TEXT = 'It is due tomorrow. A colleague will look at the refund.'
const RECORDED = ['deny shell_run', 'escalate refund', 'execute search_orders']

describe('the SDK guide', () => {
  it('consists of code blocks that run as one program', async () => {
    const text = await readFile(GUIDE, 'utf8')
    const program = [...text.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, code]) => code).join('')
    const dir = await temporaryDir()
    await mkdir(join(dir, '.touchstone'))
    const { TOUCHSTONE_URL: base_url, TOUCHSTONE_API_KEY: api_key } = connection
    const { email, password } = t.first
    const credentials = JSON.stringify({ base_url, api_key, email, password })
    await writeFile(join(dir, '.touchstone', 'credentials.json'), credentials)
    await symlink(
      fileURLToPath(new URL('../../node_modules', import.meta.url)),
      `${dir}/node_modules`,
    )
    const child = spawn(process.execPath, ['--input-type=module'], { cwd: dir })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += String(chunk)
      })
    }
    child.stdin.end(program)
    const [code] = await once(child, 'close')
    expect(output.trim().split('\n').slice(0, 16)).toEqual([
      'active',
      '2 observe',
      '404 agent_not_found',
      'Desk',
      '0 2',
      'false [',
      "  'The agent has no score yet.',",
      "  'The agent has no assurance level yet; at least 2 (relayed) is needed.'",
      ']',
      'order 1182 is in the depot',
      'blocked shell_run was not called: it is not allowed. No shell',
      'refunded',
      '0',
      'local',
      'service',
      '[',
    ])
    expect(output).toContain('is_error: true')
    expect(code).toBe(0)
  })
})

describe('the examples', () => {
  it('are all covered by this test and that of the frameworks', async () => {
    const programs = (await readdir(EXAMPLES)).filter((name) => name.endsWith('.mjs'))
    expect(programs.sort()).toEqual([
      'adk.mjs',
      'ai-sdk.mjs',
      'anthropic-loop.mjs',
      'claude-agent.mjs',
      'fake-model.mjs',
      'guarded-function.mjs',
      'langchain.mjs',
      'mastra.mjs',
      'openai-agents.mjs',
      'openai-loop.mjs',
      'openai-responses.mjs',
      'reputation-gate.mjs',
      'shop-desk.mjs',
      'strands.mjs',
      'webhook-receiver.mjs',
    ])
  })

  it('guard a function', async () => {
    const { code, lines } = await run('guarded-function.mjs', {
      TOUCHSTONE_APPROVER: await t.ownerToken(),
    })
    expect(lines).toEqual([
      'shop_search: allow (local)',
      "{ order: 1182, status: 'in the depot', due: 'tomorrow' }",
      'shell_run: block (service)',
      NO_SHELL,
      'shop_refund: escalate (service)',
      NEEDS_APPROVAL,
      'shop_refund: allow (service)',
      '{ order: 1182, refunded: 20 }',
      expect.stringMatching(/^recorded: /),
      expect.stringMatching(/^recorded: /),
      expect.stringMatching(/^recorded: /),
      expect.stringMatching(/^recorded: /),
    ])
    expect(code).toBe(0)
  })

  it('guard a tool loop of the OpenAI SDK', async () => {
    const model = await startToolModel(SCRIPT)
    const env = { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'none', MODEL: 'script' }
    const { code, lines } = await run('openai-loop.mjs', env)
    const error = (message: string) => JSON.stringify({ error: message })
    expect(lines).toEqual([FOUND, error(NO_SHELL), error(NEEDS_APPROVAL), FINAL_TEXT])
    expect(code).toBe(0)
    expect(await recordedActions()).toEqual(RECORDED)
    const last = model.asked.at(-1)?.messages.at(-1)
    expect(last).toMatchObject({ role: 'tool', content: error(NEEDS_APPROVAL) })
  })

  it('run without an account, with the fake model', async () => {
    const { output } = start('fake-model.mjs', { PORT: '0' })
    await eventually(() => expect(output()).toMatch(/http:\S+/))
    const [url] = /http:\S+/.exec(output()) ?? []
    const env = { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'none', MODEL: 'fake' }
    const { code, lines } = await run('openai-loop.mjs', env)
    const error = (message: string) => JSON.stringify({ error: message })
    const said = 'The order is in the depot.'
    expect(lines).toEqual([FOUND, error(NO_SHELL), error(NEEDS_APPROVAL), said])
    expect(code).toBe(0)
  })

  it('guard a tool loop of the Anthropic SDK', async () => {
    const model = await startToolModel(SCRIPT)
    const env = { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'none', MODEL: 'script' }
    const { code, lines } = await run('anthropic-loop.mjs', env)
    expect(lines).toEqual([FOUND, NO_SHELL, NEEDS_APPROVAL, FINAL_TEXT])
    expect(code).toBe(0)
    expect(await recordedActions()).toEqual(RECORDED)
    const last = model.asked.at(-1)?.messages.at(-1)
    expect(last?.content).toMatchObject([{ type: 'tool_result', is_error: true }])
  })

  it('guard the tools of the AI SDK', async () => {
    const model = await startToolModel(SCRIPT)
    const env = { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'none', MODEL: 'script' }
    const { child, output } = start('ai-sdk.mjs', env)
    const ended = once(child, 'close')
    await eventually(() => expect(output()).toMatch(/^Approve it within a minute: http/m))
    const escalationId = /approvals\/(\S+)/.exec(output())?.[1]
    await t.call('POST', `/v1/escalations/${escalationId}/resolve`, {
      token: await t.ownerToken(),
      body: { outcome: 'approve' },
    })
    expect(await ended).toEqual([0, null])
    expect(output().trim().split('\n').at(-1)).toBe(FINAL_TEXT)
    expect(await recordedActions()).toEqual(['deny shell_run', 'escalate refund', 'execute refund'])
    const told = JSON.stringify(model.asked.at(-1))
    expect(told).toContain(NO_SHELL)
    expect(told).toContain('refunded')
  })

  it('reject an agent without a reputation', async () => {
    const { code, lines } = await run('reputation-gate.mjs', {}, ['nobody-at-all', '500'])
    expect(lines).toEqual([
      'nobody-at-all: no score, NR, assurance unknown',
      'The agent was not found.',
    ])
    expect(code).toBe(1)
  })

  it('accept only signed webhooks', async () => {
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
    const { output } = start('webhook-receiver.mjs', { WEBHOOK_SECRET: secret, PORT: '0' })
    await eventually(() => expect(output()).toMatch(/port \d+/))
    const port = /port (\d+)/.exec(output())?.[1]
    const answer = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: '{}' })
    expect(answer.status).toBe(400)
    expect(output()).toContain('refused: The signature headers are missing.')
  })
})
