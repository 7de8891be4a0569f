import type { Command, Flags } from './command.ts'
import { COMMON_FLAGS } from './parse.ts'

export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

/**
 * Completions derived from the table of commands: after a command path its subcommands or flags, after
 * a flag with choices those choices.
 */
type Completions = {
  /** Each entry: the words typed so far, joined with spaces, and the candidates. */
  words: readonly (readonly [string, readonly string[]])[]
  flags: readonly (readonly [string, readonly string[]])[]
  choices: readonly (readonly [string, readonly string[]])[]
}

export function completionScript(shell: Shell, commands: readonly Command[]): string {
  const completions = completionsOf(commands)
  if (shell === 'fish') return fishScript(commands)
  return shell === 'bash' ? bashScript(completions) : zshScript(completions)
}

function completionsOf(commands: readonly Command[]): Completions {
  const words = new Map<string, Set<string>>()
  const choices = new Map<string, readonly string[]>()
  for (const { path, flags } of commands) {
    path.forEach((word, at) => {
      const before = path.slice(0, at).join(' ')
      words.set(before, (words.get(before) ?? new Set()).add(word))
    })
    for (const [name, flag] of Object.entries(flags)) {
      if (flag.choices !== undefined) choices.set(`${path.join(' ')} --${name}`, flag.choices)
    }
  }
  words.get('')?.add('help')
  return {
    words: [...words].map(([before, next]) => [before, [...next]]),
    flags: commands.map(({ path, flags }) => [
      path.join(' '),
      Object.keys({ ...flags, ...COMMON_FLAGS }).map((name) => `--${name}`),
    ]),
    choices: [...choices],
  }
}

/** The branches of a shell `case`: the typed words, quoted, and their candidates. */
function cases(entries: Completions['words'], pad: string): string {
  return entries
    .map(([typed, candidates]) => `${pad}"${typed}") words="${candidates.join(' ')}" ;;`)
    .join('\n')
}

/** The command path is the leading words before the first flag. */
function bashScript({ words, flags, choices }: Completions): string {
  return `# bash completion for touchstone: source it, or install it in the bash-completion folder.
_touchstone() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local typed="" words="" path="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ "$word" == -* ]] && break
    typed="\${typed:+$typed }$word"
    case "$typed" in
      ${flags.map(([path]) => `"${path}"`).join('|')}) path="$typed" ;;
    esac
  done
  case "$path $previous" in
${cases(choices, '    ')}
    *)
      case "$typed" in
${cases(words, '        ')}
      esac
      if [[ -n "$path" && ( "$current" == -* || -z "$words" ) ]]; then
        case "$path" in
${cases(flags, '          ')}
        esac
      fi ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _touchstone touchstone
`
}

function zshScript(completions: Completions): string {
  return `#compdef touchstone
# zsh completion for touchstone: save it as _touchstone in a folder of $fpath, or source it.
autoload -U +X compinit bashcompinit
(( $+functions[compdef] )) || compinit
bashcompinit
${bashScript(completions)}`
}

function fishScript(commands: readonly Command[]): string {
  const lines = commands.flatMap(({ path, summary, flags }) => {
    const [last = '', ...before] = [...path].reverse()
    const seen = before.reverse().join(' ')
    const at = seen === '' ? '__fish_use_subcommand' : `__touchstone_typed ${seen}`
    const all: Flags = { ...flags, ...COMMON_FLAGS }
    const named = Object.entries(all).map(([name, flag]) => {
      const { choices } = flag
      const values = choices === undefined ? '' : ` -xa ${quoted(choices.join(' '))}`
      const takes = flag.type === 'boolean' || choices !== undefined ? '' : ' -r'
      return `complete -c touchstone -n ${quoted(`__touchstone_typed ${path.join(' ')}`)} -l ${name}${takes}${values} -d ${quoted(flag.summary)}`
    })
    return [
      `complete -c touchstone -f -n ${quoted(at)} -a ${quoted(last)} -d ${quoted(summary)}`,
      ...named,
    ]
  })
  const groups = [
    ...new Set(commands.filter(({ path }) => path.length > 1).map(({ path }) => path[0])),
  ]
  const heads = groups.map(
    (word) => `complete -c touchstone -f -n __fish_use_subcommand -a ${quoted(word)}`,
  )
  return `# fish completion for touchstone: save it as ~/.config/fish/completions/touchstone.fish.
function __touchstone_typed
  set -l typed (commandline -opc)
  set -e typed[1]
  test (count $typed) -ge (count $argv); and test "$typed[1..$(count $argv)]" = "$argv"
end
${[...heads, ...lines].join('\n')}
`
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
