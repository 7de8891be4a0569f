import { type ParseArgsConfig, parseArgs } from 'node:util'
import { type CliError, usageError } from './cli-error.ts'
import type { Command, Flag, Flags } from './command.ts'

type OptionsConfig = NonNullable<ParseArgsConfig['options']>

/** Flags of every command. */
export const COMMON_FLAGS = {
  json: { type: 'boolean', summary: 'print JSON' },
  url: { type: 'string', value: 'URL', summary: 'address of the service' },
  help: { type: 'boolean', summary: 'show this help' },
} as const satisfies Flags

export type CommonValues = { json: boolean; url: string | undefined }

export type Parsed =
  | { kind: 'run'; command: Command; common: CommonValues; values: ParsedValues }
  | { kind: 'pass-through'; command: Command; args: readonly string[] }
  /** Help for one command, or for all commands that start with the words. */
  | { kind: 'help'; command: Command | undefined; words: readonly string[] }
  | { kind: 'version' }

export type ParsedValues = {
  flags: Readonly<Record<string, string | boolean | readonly string[]>>
  args: Readonly<Record<string, string | readonly string[] | undefined>>
  rest: readonly string[]
}

export function parse(argv: readonly string[], commands: readonly Command[]): Parsed {
  const words = leadingWords(argv)
  if (words[0] === undefined && argv[0] === '--version') return { kind: 'version' }
  if (words[0] === 'help') return helpFor(words.slice(1), commands)
  const found = findCommand(words, commands)
  if (found === undefined) return parseWithoutCommand(argv, words, commands)
  const args = argv.slice(found.path.length)
  if (found.passThrough) return { kind: 'pass-through', command: found, args }
  return parseFor(found, args)
}

/** The words before the first flag, which include the command path. */
function leadingWords(argv: readonly string[]): readonly string[] {
  const end = argv.findIndex((word) => word.startsWith('-'))
  return end < 0 ? argv : argv.slice(0, end)
}

/** The longest path counts: `connect test` is a command, although `connect` takes an argument. */
function findCommand(words: readonly string[], commands: readonly Command[]): Command | undefined {
  const found = commands.filter(({ path }) => path.every((word, at) => words[at] === word))
  return found.sort((a, b) => b.path.length - a.path.length)[0]
}

function parseWithoutCommand(
  argv: readonly string[],
  words: readonly string[],
  commands: readonly Command[],
): Parsed {
  const isHelp = argv.every((word) => words.includes(word) || word === '--help')
  const isGroup = isPrefix(words, commands)
  if (isGroup && (isHelp || argv.length === 0)) return { kind: 'help', command: undefined, words }
  throw unknownCommand(words, commands)
}

function helpFor(words: readonly string[], commands: readonly Command[]): Parsed {
  const found = findCommand(words, commands)
  if (found !== undefined) return { kind: 'help', command: found, words }
  if (!isPrefix(words, commands)) throw unknownCommand(words, commands)
  return { kind: 'help', command: undefined, words }
}

function isPrefix(words: readonly string[], commands: readonly Command[]): boolean {
  return commands.some(({ path }) => words.every((word, at) => path[at] === word))
}

function unknownCommand(words: readonly string[], commands: readonly Command[]): CliError {
  const [first] = words
  const group = commands.filter(({ path }) => path[0] === first && path.length > 1)
  if (first === undefined || group.length === 0) {
    const problem = first === undefined ? 'Missing command.' : `Unknown command "${first}".`
    return usageError(`${problem} Run "touchstone help" for a list.`)
  }
  const known = group.map(({ path }) => path.slice(1).join(' ')).join(', ')
  const problem =
    words.length === 1
      ? `Incomplete command "${first}".`
      : `Unknown command "${words.slice(0, 2).join(' ')}".`
  return usageError(`${problem} Available after "${first}": ${known}.`)
}

function parseFor(command: Command, args: readonly string[]): Parsed {
  const options = optionsOf({ ...COMMON_FLAGS, ...command.flags })
  const parsed = tryParse(command, args, options)
  // The cast is safe: the options above are strings, booleans or lists of strings.
  const values = parsed.values as Record<string, string | boolean | string[]>
  if (values['help'] === true) return { kind: 'help', command, words: command.path }
  const separator = parsed.tokens.find(({ kind }) => kind === 'option-terminator')
  const rest = separator === undefined ? [] : args.slice(separator.index + 1)
  const { json, url, help: _, ...flags } = values
  for (const [name, value] of Object.entries(flags)) checkChoice(name, value, command.flags[name])
  const positionals = parsed.positionals.slice(0, parsed.positionals.length - rest.length)
  return {
    kind: 'run',
    command,
    common: { json: json === true, url: typeof url === 'string' ? url : undefined },
    values: { flags, args: argsOf(command, positionals), rest: restOf(command, rest) },
  }
}

function optionsOf(flags: Flags): OptionsConfig {
  return Object.fromEntries(
    Object.entries(flags).map(([name, { type, multiple }]) => [
      name,
      { type, multiple: multiple ?? false },
    ]),
  )
}

function tryParse(command: Command, args: readonly string[], options: OptionsConfig) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, tokens: true })
  } catch (err) {
    const reason = err instanceof Error ? err.message.split('. ')[0] : String(err)
    throw usageError(`${reason}. ${seeHelp(command)}`)
  }
}

function checkChoice(name: string, value: unknown, flag: Flag | undefined): void {
  const { choices } = flag ?? {}
  const given = Array.isArray(value) ? value : [value]
  if (choices === undefined || given.every((choice) => choices.includes(choice))) return
  throw usageError(`--${name} must be one of: ${choices.join(', ')}.`)
}

function argsOf(command: Command, given: readonly string[]): ParsedValues['args'] {
  const entries = Object.entries(command.args)
  const args = entries.map(([name, { optional, rest }], at) => {
    const value = rest ? given.slice(at) : given[at]
    const isMissing = rest ? value?.length === 0 : value === undefined
    if (isMissing && !optional) throw usageError(`Missing argument: ${name}. ${seeHelp(command)}`)
    return [name, value] as const
  })
  const takesRest = entries.some(([, { rest }]) => rest === true)
  if (!takesRest && given.length > entries.length) {
    throw usageError(`Unexpected argument "${given[entries.length]}". ${seeHelp(command)}`)
  }
  return Object.fromEntries(args)
}

function restOf(command: Command, rest: readonly string[]): readonly string[] {
  if (command.rest === undefined && rest.length > 0) {
    throw usageError(`This command takes no arguments after "--". ${seeHelp(command)}`)
  }
  if (command.rest !== undefined && !command.restOptional && rest.length === 0) {
    throw usageError(`Missing ${command.rest} after "--". ${seeHelp(command)}`)
  }
  return rest
}

function seeHelp(command: Command): string {
  return `Run "touchstone help ${command.path.join(' ')}" for usage.`
}
