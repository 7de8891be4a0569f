import { PassThrough, Readable } from 'node:stream'
import { COMMANDS } from '../../packages/cli/src/commands.ts'
import type { Environment } from '../../packages/cli/src/io.ts'
import { run } from '../../packages/cli/src/run.ts'

export type Given = { input?: string; env?: Partial<Environment>; stop?: AbortSignal }

/**
 * Runs the command line in this process, with captured streams and credentials from the environment
 * only. `access` is called for every command.
 */
export function commandLine(access: () => { url: string; apiKey: string; dir: string }) {
  function start(line: string | readonly string[], { input = '', env = {}, stop }: Given = {}) {
    const stdout = new PassThrough()
    let out = ''
    let err = ''
    stdout.on('data', (chunk) => {
      out += String(chunk)
    })
    const { url, apiKey, dir } = access()
    const code = run(typeof line === 'string' ? line.split(' ') : line, {
      commands: COMMANDS,
      env: {
        url,
        apiKey,
        orgId: undefined,
        agent: undefined,
        dataDir: undefined,
        configFile: `${dir}/config.json`,
        version: '0',
        cwd: dir,
        all: {},
        ...env,
      },
      stdin: Readable.from(input === '' ? [] : [input]),
      stopSignal: () => stop ?? new AbortController().signal,
      color: false,
      hasProgress: false,
      stdout,
      stderr: (text) => {
        err += text
      },
    })
    return { code, out: () => out, err: () => err }
  }

  async function touchstone(line: string | readonly string[], given: Given = {}) {
    const { code, out, err } = start(line, given)
    return { code: await code, out: out(), err: err() }
  }

  return {
    start,
    touchstone,
    async json(line: string | readonly string[], given: Given = {}) {
      const words = typeof line === 'string' ? line.split(' ') : line
      const { code, out } = await touchstone([...words, '--json'], given)
      return { code, body: JSON.parse(out) }
    },
  }
}
