import { usageError } from '../cli-error.ts'
import { type Command, command } from '../command.ts'
import { completionScript, SHELLS } from '../completion.ts'

/** Takes the table lazily, because this command is one of its entries. */
export function completionCommand(commands: () => readonly Command[]): Command {
  return command({
    path: ['completion'],
    summary: 'print the completion script for bash, zsh or fish',
    details: 'For bash: source <(touchstone completion bash)',
    flags: {},
    args: { shell: { summary: SHELLS.join(', ') } },
    async run({ args, io }) {
      const shell = SHELLS.find((known) => known === args.shell)
      if (shell === undefined) throw usageError(`The shell must be one of: ${SHELLS.join(', ')}.`)
      const script = completionScript(shell, commands())
      if (io.json) io.result({ shell, script }, () => script)
      else io.write(script)
      return 0
    },
  })
}
