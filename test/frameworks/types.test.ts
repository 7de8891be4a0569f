import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const FOLDER = fileURLToPath(new URL('.', import.meta.url))
const TYPESCRIPT = dirname(createRequire(import.meta.url).resolve('typescript/package.json'))

it('the adapters and their tests match the types of the frameworks', () => {
  const args = [join(TYPESCRIPT, 'bin', 'tsc'), '-p', FOLDER]
  const { stdout, status } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  expect(stdout).toBe('')
  expect(status).toBe(0)
})
