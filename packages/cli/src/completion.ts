import type { Command, Flags } from './command.ts'
import { COMMON_FLAGS } from './parse.ts'

export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

/**
 * What fits at each place, from the table of commands: after the words of a path the next word or
 * the flags, after a flag with choices these.
 */
type Places = {
  /** The words typed so far, joined by spaces, and what may follow. */
  words: readonly (readonly [string, readonly string[]])[]
  flags: readonly (readonly [string, readonly string[]])[]
  choices: readonly (readonly [string, readonly string[]])[]
}

export function completionScript(shell: Shell, commands: readonly Command[]): string {
  const places = placesOf(commands)
  if (shell === 'fish') return fishScript(commands)
  return shell === 'bash' ? bashScript(places) : zshScript(places)
}

function placesOf(commands: readonly Command[]): Places {
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

/** The branches of a shell's case: the place, quoted, and the words that fit there. */
function cases(entries: Places['words'], pad: string): string {
  return entries
    .map(([place, fitting]) => `${pad}"${place}") words="${fitting.join(' ')}" ;;`)
    .join('\n')
}

/** The path is the leading words that are no flags; at most two make a command. */
function bashScript({ words, flags, choices }: Places): string {
  return `# bash completion of touchstone: source it, or put it where bash-completion looks.
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

function zshScript(places: Places): string {
  return `#compdef touchstone
# zsh completion of touchstone: put it into a folder of $fpath as _touchstone, or source it.
autoload -U +X compinit bashcompinit
(( $+functions[compdef] )) || compinit
bashcompinit
${bashScript(places)}`
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
      `complete -c touchstone -f -n ${quoted(at)} -a ${quoted(last)} -d ${quoted(path.length === 1 ? summary : `${summary}`)}`,
      ...named,
    ]
  })
  const groups = [
    ...new Set(commands.filter(({ path }) => path.length > 1).map(({ path }) => path[0])),
  ]
  const heads = groups.map(
    (word) => `complete -c touchstone -f -n __fish_use_subcommand -a ${quoted(word)}`,
  )
  return `# fish completion of touchstone: put it into ~/.config/fish/completions/touchstone.fish.
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
