import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { EXAMPLE_A, type ScoreWorld, scoreWorld } from '#harness/scores.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'

const ACTION = fileURLToPath(new URL('../../action/', import.meta.url))
const GOOD_TESTS = fileURLToPath(new URL('../../docs/guide/policy-tests.yaml', import.meta.url))

let w: ScoreWorld
let url: string
let workspace: string
let agentId: string

beforeAll(async () => {
  w = await scoreWorld()
  url = await w.t.app.server.listen({ port: 0, host: '127.0.0.1' })
  agentId = await w.agentWith(EXAMPLE_A)
  await w.recompute(agentId)
  workspace = await temporaryDir()
  await mkdir(join(workspace, 'my policies'))
  const good = await readFile(GOOD_TESTS, 'utf8')
  await writeFile(join(workspace, 'my policies', 'desk.test.yaml'), good)
  await writeFile(join(workspace, 'bad.yaml'), good.replace('verdict: pass', 'verdict: fail'))
})

/** Runs the action's only step, with the inputs passed as GitHub passes them. */
async function runAction(inputs: Readonly<Record<string, string>>) {
  const summary = join(await temporaryDir(), 'summary.md')
  const text = await readFile(`${ACTION}action.yml`, 'utf8')
  const mapped = [...text.matchAll(/^ {8}([A-Z_]+): \$\{\{ inputs\.([a-z-]+) \}\}$/gm)]
  const env = Object.fromEntries(mapped.map(([, name, input = '']) => [name, inputs[input] ?? '']))
  const script = /^ {6}run: '(.*)'$/m.exec(text)?.[1] ?? ''
  const child = spawn('bash', ['-e', '-c', script], {
    cwd: workspace,
    env: {
      ...env,
      PATH: process.env['PATH'],
      GITHUB_ACTION_PATH: ACTION,
      GITHUB_STEP_SUMMARY: summary,
    },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += String(chunk)
    })
  }
  const [code] = await once(child, 'close')
  return { code, output, summary: await readFile(summary, 'utf8').catch(() => '') }
}

describe('the action', () => {
  it('passes if the policy tests pass and the reputation is high enough', async () => {
    const { code, output, summary } = await runAction({
      'policy-tests': 'my policies/**/*.test.yaml\n',
      agent: agentId,
      'min-score': '100',
      'min-grade': 'CCC',
      'min-assurance': '0',
      url,
    })
    expect(output).toContain('0 failed')
    expect(code).toBe(0)
    expect(summary).toContain('### Policy tests: passed')
    expect(summary).toContain(`### Reputation of ${agentId}: passed`)
  })

  it('fails by default if nobody but the agent has seen the evidence', async () => {
    const inputs = { agent: agentId, 'min-score': '700', url }
    const { code, output } = await runAction(inputs)
    expect({ code, output }).toMatchObject({
      code: 1,
      output: expect.stringContaining('The assurance level is 0 (unverified)'),
    })
    const raw = { ...inputs, raw: 'true', 'min-assurance': '0' }
    expect(await runAction(raw)).toMatchObject({ code: 0 })
  })

  it('fails if a policy test fails', async () => {
    const { code, output, summary } = await runAction({ 'policy-tests': 'bad.yaml' })
    expect(code).toBe(1)
    expect(output).toContain(' 1 failed')
    expect(output).toContain('::error title=Touchstone::Policy tests failed')
    expect(summary).toContain('### Policy tests: failed')
  })

  it('fails if the reputation is too low, the agent is unknown, or the service is down', async () => {
    const minimum = { 'min-score': '999', url }
    const low = await runAction({ ...minimum, agent: agentId })
    expect(low).toMatchObject({ code: 1, output: expect.stringContaining('at least 999') })
    const unknown = await runAction({ ...minimum, agent: 'nobody-here' })
    expect(unknown).toMatchObject({ code: 1, output: expect.stringContaining('was not found') })
    const unreachable = { agent: agentId, 'min-score': '0', url: 'http://127.0.0.1:1' }
    expect(await runAction(unreachable)).toMatchObject({ code: 1 })
  })

  it('does not pass if there is nothing to check', async () => {
    expect(await runAction({})).toMatchObject({ code: 2 })
    expect(await runAction({ agent: agentId, url })).toMatchObject({ code: 2 })
    expect(await runAction({ 'policy-tests': 'nothing/*.yaml' })).toMatchObject({ code: 2 })
  })

  it('treats every input as text, never as a script', async () => {
    const agent = '"; touch stolen; echo "$(touch stolen)\n::warning::forged'
    const { code, output } = await runAction({ agent, 'min-score': '0', url })
    expect(code).toBe(2)
    expect(output).not.toMatch(/^::warning/m)
    const files = '"; touch stolen; echo "$(touch stolen)'
    expect(await runAction({ 'policy-tests': files })).toMatchObject({ code: 2 })
    await expect(readFile(join(workspace, 'stolen'))).rejects.toThrow()
  })
})
