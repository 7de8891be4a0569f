import { HOOK_CLIENTS, type HookClient } from '@touchstone/sdk/hooks/clients'
import { describe, expect, it } from 'vitest'
import { CLIENTS } from './clients.ts'
import { configuredHook } from './configured-hook.ts'
import { withHooks } from './edit-config.ts'

const PROGRAM = '/opt/touchstone/bin/touchstone-hook.cjs'

function configOf(name: HookClient) {
  return CLIENTS[name].config({ command: ['/usr/bin/node', PROGRAM, name], mode: 'enforce' })
}

const hookIn = (name: HookClient, text: string | undefined) =>
  configuredHook(text, configOf(name), { name, client: CLIENTS[name], file: '/home/.x' })

const written = (name: HookClient, before?: string) => withHooks(before, configOf(name), name)

describe.each(HOOK_CLIENTS)('the hook of %s', (name) => {
  it('is the program that connect wrote', () => {
    const { run, problems } = hookIn(name, written(name))
    const words = [run?.command, ...(run?.args ?? [])].join(' ')
    expect(words).toBe(`/usr/bin/node ${PROGRAM} ${name}`)
    expect(run?.isShell).toBe(name !== 'opencode')
    expect(problems).toEqual([])
  })

  it('is missed if the file is gone, or somebody else’s', () => {
    for (const text of [undefined, '{}']) {
      const { run, problems } = hookIn(name, text)
      expect(run).toBeUndefined()
      expect(problems).toEqual([expect.stringContaining(`"touchstone connect ${name}" again`)])
    }
  })
})

describe('a configuration', () => {
  it('is told from one whose hook is there and does not run', () => {
    const off = hookIn('claude-code', written('claude-code', '{"disableAllHooks": true}'))
    expect(off.problems).toEqual(['disableAllHooks in /home/.x switches the hook off.'])
    const partial = written('codex').replace('"PostToolUse"', '"Other"')
    expect(hookIn('codex', partial).problems).toEqual([
      expect.stringContaining('has no hook for PostToolUse.'),
    ])
    const broken = hookIn('codex', '{"hooks": ')
    expect(broken).toEqual({
      run: undefined,
      problems: [expect.stringContaining('is no valid JSON')],
    })
  })

  // test/clients/cursor.test.ts has Cursor read the same files.
  it.each([
    ['{"hooks": {"stop": [{"command": "true",}]}}', 'without trailing commas'],
    ['{"hooks": {"Other": []}}', '"hooks.Other" is no event'],
    ['{"version": "1"}', '"version" must be a number'],
    ['{"hooks": {"stop": [{}]}}', '"hooks.stop" must be a list of commands'],
    ['{\n// Mine.\n"theme": 1}', undefined],
  ])('of Cursor is ignored as a whole if it is not as Cursor wants it: %s', (before, reason) => {
    const { run, problems } = hookIn('cursor', written('cursor', before))
    expect(run?.command).toContain(PROGRAM)
    const expected = reason === undefined ? [] : [expect.stringContaining(reason)]
    expect(problems).toEqual(expected)
  })
})
