import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { COMMANDS } from './commands.ts'
import { completionScript } from './completion.ts'

/** The completions that bash offers for the last of these words. */
function completionsFor(...words: string[]): string[] {
  const script = `${completionScript('bash', COMMANDS)}
COMP_WORDS=(touchstone "$@"); COMP_CWORD=$#; _touchstone; printf '%s\\n' "\${COMPREPLY[@]}"`
  const output = execFileSync('bash', ['-c', script, 'bash', ...words], { encoding: 'utf8' })
  return output.split('\n').filter(Boolean)
}

describe('completion in bash', () => {
  it('offers commands, then their subcommands', () => {
    expect(completionsFor('')).toEqual(
      expect.arrayContaining(['serve', 'agents', 'verify', 'help']),
    )
    expect(completionsFor('pol')).toEqual(['policy'])
    expect(completionsFor('policy', '')).toEqual([
      'init',
      'validate',
      'test',
      'impact',
      'learn',
      'apply',
    ])
  })

  it('offers the flags of a command and the choices of a flag', () => {
    expect(completionsFor('score', 'an-agent', '--min')).toEqual([
      '--min-score',
      '--min-grade',
      '--min-assurance',
    ])
    expect(completionsFor('score', 'an-agent', '--min-grade', 'A')).toEqual(['AAA', 'AA', 'A'])
    expect(completionsFor('agents', 'list', '--')).toContain('--json')
  })
})

describe.each(['zsh', 'fish'] as const)('completion in %s', (shell) => {
  it('includes every command and every flag', () => {
    const script = completionScript(shell, COMMANDS)
    for (const { path, flags } of COMMANDS) {
      for (const word of path) expect(script).toContain(word)
      for (const name of Object.keys(flags)) expect(script).toContain(name)
    }
  })
})
