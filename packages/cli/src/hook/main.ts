import { HOOK_CLIENTS, isHookClient } from '@touchstone/sdk/hooks/clients'
import { runHook } from './run-hook.ts'

/**
 * The program of "touchstone hook CLIENT", which a coding agent starts for every call of a tool. It is
 * bundled into one file (hook.vite.config.mjs) and reads the environment itself.
 */
export async function hookMain(argv: readonly string[]): Promise<void> {
  const [client = ''] = argv
  const { stdin, env } = process
  if (!isHookClient(client)) return refuse(`usage: touchstone-hook ${HOOK_CLIENTS.join('|')}`)
  try {
    const output = await runHook({ client, stdin, env, cwd: process.cwd() })
    if (output.stderr !== undefined) process.stderr.write(`${output.stderr}\n`)
    if (output.stdout !== undefined) process.stdout.write(`${output.stdout}\n`)
    process.exitCode = output.exit ?? 0
  } catch (err) {
    refuse(`The Touchstone hook failed: ${err instanceof Error ? err.message : String(err)}`)
  }
}

/** Every client stops a call whose hook ends with 2. */
function refuse(message: string): void {
  process.stderr.write(`${message}\n`)
  process.exitCode = 2
}
