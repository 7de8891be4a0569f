import { describe, expect, it } from 'vitest'
import { command } from './command.ts'
import { COMMANDS } from './commands.ts'
import { helpOf, helpOfCommand } from './help.ts'
import { parse } from './parse.ts'

const done = async () => 0 as const
const TABLE = [
  command({
    path: ['agents', 'list'],
    summary: 'a list',
    flags: {
      status: { type: 'string', choices: ['active', 'paused'], summary: 'a filter' },
      events: { type: 'string', multiple: true, summary: 'types' },
    },
    args: {},
    run: done,
  }),
  command({
    path: ['send'],
    summary: 'sends',
    flags: {},
    args: { agent: { summary: 'who' }, file: { summary: 'what', optional: true } },
    run: done,
  }),
  command({
    path: ['guard'],
    summary: 'runs another',
    flags: { open: { type: 'boolean', summary: 'lets through' } },
    args: {},
    rest: 'COMMAND…',
    run: done,
  }),
  command({ path: ['serve'], summary: 's', flags: {}, args: {}, passThrough: true, run: done }),
]
const read = (line: string) => parse(line.split(' ').filter(Boolean), TABLE)

describe('a command line', () => {
  it('is parsed by the table of commands', () => {
    expect(read('agents list --status active --events a --events b --json')).toMatchObject({
      kind: 'run',
      common: { json: true, url: undefined },
      values: { flags: { status: 'active', events: ['a', 'b'] }, args: {}, rest: [] },
    })
    expect(read('send --url http://x one')).toMatchObject({
      common: { json: false, url: 'http://x' },
      values: { args: { agent: 'one', file: undefined } },
    })
  })

  it('keeps all arguments after --, including flags', () => {
    expect(read('guard --open -- npx -y server --help -- x')).toMatchObject({
      values: {
        flags: { open: true },
        args: {},
        rest: ['npx', '-y', 'server', '--help', '--', 'x'],
      },
    })
  })

  it('is passed through unparsed for commands of the server', () => {
    expect(read('serve --role what --help')).toMatchObject({
      kind: 'pass-through',
      args: ['--role', 'what', '--help'],
    })
  })

  it.each([
    ['agnts', 'Unknown command "agnts". Run "touchstone help" for a list.'],
    ['agents remove', 'Unknown command "agents remove". Available after "agents": list.'],
    ['--json', 'Missing command. Run "touchstone help" for a list.'],
    ['send', 'Missing argument: agent. Run "touchstone help send" for usage.'],
    ['send a b c', 'Unexpected argument "c". Run "touchstone help send" for usage.'],
    ['agents list --status asleep', '--status must be one of: active, paused.'],
    ['agents list --colour', /^Unknown option '--colour'/],
    [
      'agents list -- x',
      'This command takes no arguments after "--". Run "touchstone help agents list" for usage.',
    ],
    ['guard', 'Missing COMMAND… after "--". Run "touchstone help guard" for usage.'],
  ])('is rejected with the reason: %s', (line, message) => {
    expect(() => read(line)).toThrow(message)
  })

  it.each([
    '',
    '--help',
    'help',
    'agents',
    'agents --help',
    'help agents',
    'help send',
    'send --help',
  ])('shows help: "%s"', (line) => {
    expect(read(line)).toMatchObject({ kind: 'help' })
  })
})

describe('help', () => {
  it('lists every command, and every flag of a command', () => {
    const all = helpOf(COMMANDS, [])
    for (const { path } of COMMANDS) expect(all).toContain(`  ${path.join(' ')}`)
    for (const one of COMMANDS) {
      const text = helpOfCommand(one)
      for (const name of Object.keys(one.flags)) expect(text).toContain(`--${name}`)
    }
  })
})

describe('the table', () => {
  it('has no duplicate command', () => {
    const paths = COMMANDS.map(({ path }) => path.join(' '))
    expect(new Set(paths).size).toBe(paths.length)
  })

  it('finds a command whose path begins like that of another with an argument', () => {
    const found = (...argv: string[]) => {
      const parsed = parse(argv, COMMANDS)
      return parsed.kind === 'run'
        ? [parsed.command.path.join(' '), parsed.values.args]
        : parsed.kind
    }
    expect(found('connect', 'test', 'codex')).toEqual(['connect test', { client: 'codex' }])
    expect(found('connect', 'codex')).toEqual(['connect', { client: 'codex' }])
    expect(found('connect')).toEqual(['connect', {}])
  })
})
