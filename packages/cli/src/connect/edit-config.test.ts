import { describe, expect, it } from 'vitest'
import type { ClientConfig } from './clients.ts'
import { foreignHooks, UneditableConfig, withHooks, withoutHooks } from './edit-config.ts'

const OURS = { command: '/usr/bin/node /opt/touchstone/bin/touchstone-hook.cjs cursor' }
const CONFIG: ClientConfig = {
  kind: 'json',
  version: 1,
  entries: [
    { event: 'preToolUse', entry: { ...OURS, failClosed: true } },
    { event: 'stop', entry: OURS },
  ],
}
const FOREIGN = `{
    // Mine.
    "version": 1,
    "hooks": {
        "preToolUse": [
            { "command": "./check.sh" }, // first
        ]
    },
    "other": [1,2,   3]
}
`

describe('withHooks', () => {
  it('writes a file that a parser reads, from nothing', () => {
    for (const text of [undefined, '', ' \n']) {
      expect(JSON.parse(withHooks(text, CONFIG, 'cursor'))).toEqual({
        version: 1,
        hooks: { preToolUse: [{ ...OURS, failClosed: true }], stop: [OURS] },
      })
    }
  })

  it('keeps comments, indentation and hooks of others', () => {
    const text = withHooks(FOREIGN, CONFIG, 'cursor')
    expect(text).toContain('    // Mine.\n')
    expect(text).toContain('{ "command": "./check.sh" }')
    expect(text).toContain('"other": [1,2,   3]')
    expect(text).toMatch(/^ {12}\{$/m)
    expect(foreignHooks(text, 'cursor')).toBe(1)
  })

  it('changes nothing the second time', () => {
    for (const text of [undefined, FOREIGN, FOREIGN.replaceAll('\n', '\r\n'), '{"hooks":{}}']) {
      const once = withHooks(text, CONFIG, 'cursor')
      expect(withHooks(once, CONFIG, 'cursor')).toBe(once)
    }
  })

  it('replaces a hook of ours that was written differently, quoted or as a list of words', () => {
    const quoted = `'/usr/bin/node' '/old place/touchstone.mjs' hook cursor`
    const old = JSON.stringify({
      version: 1,
      hooks: { preToolUse: [{ command: quoted }, { command: 'node', args: words('cursor') }] },
    })
    const { hooks } = JSON.parse(withHooks(old, CONFIG, 'cursor'))
    expect(hooks.preToolUse).toEqual([{ ...OURS, failClosed: true }])
  })

  it.each([
    ['{ "hooks": ', 'line 1'],
    ['{\n"a": 1,\n"b" 2 }', 'line 3'],
    ['[]', 'object'],
    ['{"hooks": []}', '"hooks" must be an object'],
    ['{"hooks": {"stop": {}}}', 'must be a list'],
  ])('refuses %j', (text, message) => {
    expect(() => withHooks(text, CONFIG, 'cursor')).toThrow(UneditableConfig)
    expect(() => withHooks(text, CONFIG, 'cursor')).toThrow(message)
  })
})

describe('withoutHooks', () => {
  it('leaves what others wrote, also after the hooks were added', () => {
    const added = withHooks(FOREIGN, CONFIG, 'cursor').replace('"other"', '"new": true, "other"')
    const left = withoutHooks(added, 'cursor')
    expect(left).not.toContain('touchstone')
    expect(left).toContain('"./check.sh"')
    expect(left).toContain('"new": true')
    expect(left).toContain('// Mine.')
  })

  it('leaves hooks of other clients and other programs alone', () => {
    const text = JSON.stringify({
      hooks: {
        stop: [
          { command: 'node touchstone.mjs hook codex' },
          { command: 'node touchstone-hook.cjs codex' },
          { command: 'node my-touchstone hook.js cursor' },
          { command: 'echo touchstone' },
        ],
      },
    })
    expect(withoutHooks(text, 'cursor')).toBe(text)
  })
})

function words(client: string): string[] {
  return ['/opt/touchstone.mjs', 'hook', client]
}
