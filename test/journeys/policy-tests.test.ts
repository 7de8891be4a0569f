import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const pathOf = (file: string) => fileURLToPath(new URL(`../../${file}`, import.meta.url))
const SCRIPT = pathOf('docs/guide/policy-tests.mjs')
const EXAMPLE = pathOf('docs/guide/policy-tests.yaml')

let directory: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'policy-tests-'))
})

afterAll(() => rm(directory, { recursive: true }))

async function run(path: string): Promise<{ code: number; out: string; err: string }> {
  try {
    const { stdout, stderr } = await promisify(execFile)('node', [SCRIPT, path])
    return { code: 0, out: stdout, err: stderr }
  } catch (failure) {
    const { code, stdout, stderr } = failure as { code: number; stdout: string; stderr: string }
    return { code, out: stdout, err: stderr }
  }
}

async function runText(text: string) {
  const path = join(directory, 'tests.yaml')
  await writeFile(path, text)
  return run(path)
}

describe('the script of the policy test guide', () => {
  it('passes the example', async () => {
    const { code, out } = await run(EXAMPLE)
    expect(out).toMatch(/\n8 passed, 0 failed\n$/)
    expect(code).toBe(0)
  })

  it('passes the file shown on the page', async () => {
    const guide = await readFile(pathOf('docs/guide/policy-tests.md'), 'utf8')
    const [, small = ''] = /```yaml\n(.*?)```/s.exec(guide) ?? []
    const { code, out } = await runText(small)
    expect(out).toMatch(/\n3 passed, 0 failed\n$/)
    expect(code).toBe(0)
  })

  it('prints the difference and fails', async () => {
    const text = (await readFile(EXAMPLE, 'utf8')).replace('verdict: pass', 'verdict: warn')
    const { code, out } = await runText(text)
    expect(out).toContain('expected warn, but the verdict is pass')
    expect(code).toBe(1)
  })

  it('names the path of an invalid field', async () => {
    const text = (await readFile(EXAMPLE, 'utf8')).replace('verdict: pass', 'verdct: pass')
    const { code, err } = await runText(text)
    expect(err).toContain('#/cases/0/verdct: unknown field')
    expect(code).toBe(2)
    expect(await runText('a: [')).toMatchObject({ code: 2 })
  })
})
