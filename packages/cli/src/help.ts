import type { Command, Flags } from './command.ts'
import { COMMON_FLAGS } from './parse.ts'
import { fields } from './table.ts'

const HEAD = 'touchstone — trust ratings and governance for software agents'

const FOOT = `Every command takes --json, --url URL and --help.
Exit codes: 0 success; 1 negative result, such as a failed gate; 2 error.
Settings: TOUCHSTONE_URL, TOUCHSTONE_API_KEY, TOUCHSTONE_AGENT, or the login saved by "touchstone login".`

/** Lists the commands that start with the given words, one per line. */
export function helpOf(commands: readonly Command[], words: readonly string[]): string {
  const matching = commands.filter(({ path }) => words.every((word, at) => path[at] === word))
  const lines = matching.map((command) => [usageOf(command), command.summary] as const)
  return `${HEAD}\n\n${indent(fields(lines))}\n\n${FOOT}`
}

export function helpOfCommand(command: Command): string {
  const parts = [`touchstone ${usageOf(command)}\n\n${command.summary}`]
  if (command.details !== undefined) parts.push(command.details)
  const args = Object.entries(command.args).map(([name, { summary }]) => [name, summary] as const)
  if (args.length > 0) parts.push(`Arguments:\n${indent(fields(args))}`)
  parts.push(
    `Flags:\n${indent(fields(flagLines({ ...command.flags, ...COMMON_FLAGS, ...command.flags })))}`,
  )
  return parts.join('\n\n')
}

export function usageOf({ path, args, rest, restOptional }: Command): string {
  const words = Object.entries(args).map(([name, { optional, rest: more }]) => {
    const shown = `${name.toUpperCase()}${more ? '…' : ''}`
    return optional ? `[${shown}]` : shown
  })
  return [
    ...path,
    ...words,
    ...(rest === undefined ? [] : [restOptional ? `[-- ${rest}]` : `-- ${rest}`]),
  ].join(' ')
}

function flagLines(flags: Flags): (readonly [string, string])[] {
  return Object.entries(flags).map(([name, { type, value = 'VALUE', choices, summary }]) => {
    const shown = type === 'boolean' ? `--${name}` : `--${name} ${choices?.join('|') ?? value}`
    return [shown, summary] as const
  })
}

function indent(text: string): string {
  return text.replace(/^(?=.)/gm, '  ')
}
