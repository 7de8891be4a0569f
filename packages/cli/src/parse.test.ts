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
      status: { type: 'string', choices: ['active', 'paused'], summary: 'only those' },
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
  command({ path: ['serve'], summary: 's', flags: {}, args: {}, handsOver: true, run: done }),
]
const read = (line: string) => parse(line.split(' ').filter(Boolean), TABLE)

describe('a command line', () => {
  it('is read by the table', () => {
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

  it('keeps what follows -- for another program, flags too', () => {
    expect(read('guard --open -- npx -y server --help -- x')).toMatchObject({
      values: {
        flags: { open: true },
        args: {},
        rest: ['npx', '-y', 'server', '--help', '--', 'x'],
      },
    })
  })

  it('is handed over unread where another program reads it', () => {
    expect(read('serve --role what --help')).toMatchObject({
      kind: 'hand-over',
      args: ['--role', 'what', '--help'],
    })
  })

  it.each([
    ['agnts', 'There is no command "agnts". "touchstone help" lists them.'],
    ['agents remove', 'touchstone agents knows only: list.'],
    ['--json', 'Which command? "touchstone help" lists them.'],
    ['send', 'agent is missing. "touchstone help send" says more.'],
    ['send a b c', '"c" is one word too many. "touchstone help send" says more.'],
    ['agents list --status asleep', '--status must be one of: active, paused.'],
    ['agents list --colour', /^Unknown option '--colour'/],
    ['agents list -- x', 'Nothing follows "--" here. "touchstone help agents list" says more.'],
    ['guard', 'COMMAND… is missing after "--". "touchstone help guard" says more.'],
  ])('that is wrong is told what is wrong: %s', (line, message) => {
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
  ])('that asks for help gets it: "%s"', (line) => {
    expect(read(line)).toMatchObject({ kind: 'help' })
  })
})

describe('help', () => {
  it('names every command, and every flag of one', () => {
    const all = helpOf(COMMANDS, [])
    for (const { path } of COMMANDS) expect(all).toContain(`  ${path.join(' ')}`)
    for (const one of COMMANDS) {
      const text = helpOfCommand(one)
      for (const name of Object.keys(one.flags)) expect(text).toContain(`--${name}`)
    }
  })
})

describe('the table', () => {
  it('has no command twice, and none that hides another', () => {
    const paths = COMMANDS.map(({ path }) => `${path.join(' ')} `)
    for (const path of paths) {
      expect(paths.filter((other) => other.startsWith(path))).toEqual([path])
    }
  })
})
