import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import { COMPILE_CACHE } from './compile-cache.ts'

export type ProgramOptions = { env?: Record<string, string>; args?: readonly string[] }

/**
 * Starts a program with Node. Passes only PATH, the compile cache and the given variables, so that no
 * setting of the test run has an effect. It is stopped with the test.
 */
export function startProgram(file: string, { env = {}, args = [] }: ProgramOptions = {}) {
  const child = spawn(process.execPath, [file, ...args], {
    env: { ...COMPILE_CACHE, PATH: process.env['PATH'], ...env },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += String(chunk)
    })
  }
  onTestFinished(() => void child.kill())
  return { child, output: () => output }
}

/** The exit code and the lines of both outputs. */
export async function runProgram(file: string, options?: ProgramOptions) {
  const { child, output } = startProgram(file, options)
  const [code] = await once(child, 'close')
  return { code, lines: output().trim().split('\n') }
}
