import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { CLI_BIN } from './process.ts'

/** The variables that a page of Connect shows after it made a key, as the shell would read them. */
export async function readEnvironment(page: Page): Promise<Record<string, string>> {
  const block = page.locator('pre', { hasText: /TOUCHSTONE_API_KEY='tsk_/ })
  const text = (await block.textContent()) ?? ''
  return Object.fromEntries(
    [...text.matchAll(/^export (\w+)='(.*)'$/gm)].map(([, ...pair]) => pair),
  )
}

/** The first command of the page that begins with these words, without `npx touchstone`. */
export async function readCommand(page: Page, words: string): Promise<string> {
  const block = page.locator('pre', { hasText: `npx touchstone ${words}` }).first()
  const lines = ((await block.textContent()) ?? '').split('\n')
  const line = lines.find((one) => one.startsWith(`npx touchstone ${words}`))
  return (line ?? '').replace('npx touchstone ', '').trim()
}

/** Runs the command line in a terminal that has these variables only, and returns what it printed. */
export async function touchstone(line: string, env: Record<string, string>): Promise<string> {
  const given = { PATH: process.env['PATH'] ?? '', ...env }
  const child = spawn(process.execPath, [CLI_BIN, ...line.split(' ')], { env: given })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += String(chunk)
    })
  }
  child.stdin.end()
  const [code] = await once(child, 'close')
  expect(code, output).toBe(0)
  return output
}
