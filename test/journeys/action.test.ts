import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { temporaryDir } from '#harness/process.ts'
import { EXAMPLE_A, type ScoreWorld, scoreWorld } from '#harness/scores.ts'

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

/** The one step of the action, with the inputs as GitHub would hand them on. */
async function act(inputs: Readonly<Record<string, string>>) {
  const summary = join(await temporaryDir(), 'summary.md')
  const text = await readFile(`${ACTION}action.yml`, 'utf8')
  const handed = [...text.matchAll(/^ {8}([A-Z_]+): \$\{\{ inputs\.([a-z-]+) \}\}$/gm)]
  const env = Object.fromEntries(handed.map(([, name, input = '']) => [name, inputs[input] ?? '']))
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
  it('passes when policy tests pass and the reputation is good enough', async () => {
    const { code, output, summary } = await act({
      'policy-tests': 'my policies/**/*.test.yaml\n',
      agent: agentId,
      'min-score': '100',
      'min-grade': 'CCC',
      conservative: 'true',
      url,
    })
    expect(output).toContain('0 failed')
    expect(code).toBe(0)
    expect(summary).toContain('### Policy tests: passed')
    expect(summary).toContain(`### Reputation of ${agentId}: passed`)
  })

  it('fails with a policy test', async () => {
    const { code, output, summary } = await act({ 'policy-tests': 'bad.yaml' })
    expect(code).toBe(1)
    expect(output).toContain(' 1 failed')
    expect(output).toContain('::error title=Touchstone::Policy tests failed')
    expect(summary).toContain('### Policy tests: failed')
  })

  it('fails with a reputation that is too low, of nobody, or that nobody tells', async () => {
    const least = { 'min-score': '999', url }
    const low = await act({ ...least, agent: agentId })
    expect(low).toMatchObject({ code: 1, output: expect.stringContaining('at least 999') })
    const nobody = await act({ ...least, agent: 'nobody-here' })
    expect(nobody).toMatchObject({ code: 1, output: expect.stringContaining('was not found') })
    const away = { agent: agentId, 'min-score': '0', url: 'http://127.0.0.1:1' }
    expect(await act(away)).toMatchObject({ code: 1 })
  })

  it('does not pass for want of anything to check', async () => {
    expect(await act({})).toMatchObject({ code: 2 })
    expect(await act({ agent: agentId, url })).toMatchObject({ code: 2 })
    expect(await act({ 'policy-tests': 'nothing/*.yaml' })).toMatchObject({ code: 2 })
  })

  it('takes every input as a text, never as a script', async () => {
    const agent = '"; touch stolen; echo "$(touch stolen)\n::warning::forged'
    const { code, output } = await act({ agent, 'min-score': '0', url })
    expect(code).toBe(2)
    expect(output).not.toMatch(/^::warning/m)
    const files = '"; touch stolen; echo "$(touch stolen)'
    expect(await act({ 'policy-tests': files })).toMatchObject({ code: 2 })
    await expect(readFile(join(workspace, 'stolen'))).rejects.toThrow()
  })
})
