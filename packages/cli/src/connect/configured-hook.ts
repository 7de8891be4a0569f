import jsonc from 'jsonc-parser'
import type { Client, ClientConfig, HookEntry } from './clients.ts'
import { ownHooks, UneditableConfig } from './edit-config.ts'
import { programIn } from './opencode-plugin.ts'

export type HookCommand = {
  command: string
  args: readonly string[]
  /** Whether the command is a line for the shell. */
  isShell: boolean
}

export type ConfiguredHook = {
  /** The program that the client starts before a call; undefined if its configuration has none. */
  run: HookCommand | undefined
  /** Why the client does not run the hook, as far as its configuration shows. */
  problems: readonly string[]
}

type Place = { name: string; client: Client; file: string }

/** The hook in the client's configuration, which anybody may have changed since it was connected. */
export function configuredHook(
  text: string | undefined,
  config: ClientConfig,
  { name, client, file }: Place,
): ConfiguredHook {
  const again = `Run "touchstone connect ${name}" again.`
  if (text === undefined) {
    return { run: undefined, problems: [`${file} is gone, and the hook with it. ${again}`] }
  }
  if (config.kind === 'file') {
    const [command, ...args] = programIn(text) ?? []
    if (command !== undefined) return { run: { command, args, isShell: false }, problems: [] }
    return { run: undefined, problems: [`${file} is not as connect wrote it. ${again}`] }
  }
  try {
    const own = ownHooks(text, name)
    const events = new Set(own.map(({ event }) => event))
    const missing = config.entries.map(({ event }) => event).filter((event) => !events.has(event))
    const ignored = own.length === 0 ? undefined : client.ignores?.(text)
    return {
      run: commandOf(own.find(({ event }) => event === config.entries[0]?.event)),
      problems: [
        ...(missing.length > 0 ? [`${file} has no hook for ${missing.join(', ')}. ${again}`] : []),
        ...(isSwitchedOff(text) ? [`disableAllHooks in ${file} switches the hook off.`] : []),
        ...(ignored === undefined ? [] : [`${client.title} ignores all of ${file}: ${ignored}.`]),
      ],
    }
  } catch (err) {
    if (!(err instanceof UneditableConfig)) throw err
    return { run: undefined, problems: [`${file}: ${err.message}.`] }
  }
}

function commandOf(own: HookEntry | undefined): HookCommand | undefined {
  const entry = Object(own?.entry)
  const [inner = entry] = Array.isArray(entry.hooks) ? entry.hooks : []
  const { command } = Object(inner)
  return typeof command === 'string' ? { command, args: [], isShell: true } : undefined
}

/** The switch of Claude Code and Copilot CLI. */
function isSwitchedOff(text: string): boolean {
  return Object(jsonc.parse(text)).disableAllHooks === true
}
