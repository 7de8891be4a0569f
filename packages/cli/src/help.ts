import type { Command, Flags } from './command.ts'
import { COMMON_FLAGS } from './parse.ts'
import { fields } from './table.ts'

const HEAD = 'touchstone — trust ratings and governance for software agents'

const FOOT = `Every command takes --json, --url URL and --help.
Exit codes: 0 done or yes; 1 no, such as a gate that is not met; 2 it could not be found out.
Settings: TOUCHSTONE_URL, TOUCHSTONE_API_KEY, TOUCHSTONE_AGENT, or what "touchstone login" saved.`

/** All commands below the given words, a line each. */
export function helpOf(commands: readonly Command[], words: readonly string[]): string {
  const below = commands.filter(({ path }) => words.every((word, at) => path[at] === word))
  const lines = below.map((command) => [usageOf(command), command.summary] as const)
  return `${HEAD}\n\n${indent(fields(lines))}\n\n${FOOT}`
}

export function helpOfCommand(command: Command): string {
  const parts = [`touchstone ${usageOf(command)}\n\n${command.summary}`]
  if (command.details !== undefined) parts.push(command.details)
  const args = Object.entries(command.args).map(([name, { summary }]) => [name, summary] as const)
  if (args.length > 0) parts.push(`Arguments:\n${indent(fields(args))}`)
  parts.push(`Flags:\n${indent(fields(flagLines({ ...command.flags, ...COMMON_FLAGS })))}`)
  return parts.join('\n\n')
}

export function usageOf({ path, args, rest }: Command): string {
  const words = Object.entries(args).map(([name, { optional, rest: more }]) => {
    const shown = `${name.toUpperCase()}${more ? '…' : ''}`
    return optional ? `[${shown}]` : shown
  })
  return [...path, ...words, ...(rest === undefined ? [] : [`-- ${rest}`])].join(' ')
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
