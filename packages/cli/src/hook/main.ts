import { HOOK_CLIENTS, isHookClient } from '@touchstone/sdk/hooks/clients'
import { runHook } from './run-hook.ts'

/**
 * The entry point of "touchstone hook CLIENT", which a coding agent starts for every call of a tool, so
 * it loads nothing else of the command line.
 */
export async function hookMain(argv: readonly string[]): Promise<void> {
  const [client = ''] = argv
  const { stdin, env } = process
  if (!isHookClient(client)) {
    process.stderr.write(`usage: touchstone hook ${HOOK_CLIENTS.join('|')}\n`)
    process.exitCode = 2
    return
  }
  const output = await runHook({ client, stdin, env, cwd: process.cwd() })
  if (output.stderr !== undefined) process.stderr.write(`${output.stderr}\n`)
  if (output.stdout !== undefined) process.stdout.write(`${output.stdout}\n`)
  process.exitCode = output.exit ?? 0
}
