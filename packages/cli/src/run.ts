import type { Command, ExitCode } from './command.ts'
import { describeFailure } from './failure.ts'
import { helpOf, helpOfCommand } from './help.ts'
import { createIo, type IoOptions } from './io.ts'
import { paintWith } from './paint.ts'
import { type Parsed, parse } from './parse.ts'

export type Surroundings = Omit<IoOptions, 'json' | 'url'> & {
  commands: readonly Command[]
}

/** Runs one command line. Never throws; what went wrong goes to standard error. */
export async function run(argv: readonly string[], around: Surroundings): Promise<ExitCode> {
  const { stderr, color } = around
  try {
    return await runParsed(parse(argv, around.commands), around)
  } catch (err) {
    // Before the arguments are read, whether JSON was asked for can only be guessed.
    stderr(`${describeFailure(err, { json: argv.includes('--json'), paint: paintWith(color) })}\n`)
    return 2
  }
}

async function runParsed(parsed: Parsed, around: Surroundings): Promise<ExitCode> {
  const { stdout, commands, env } = around
  switch (parsed.kind) {
    case 'version':
      stdout.write(`${env.version}\n`)
      return 0
    case 'help': {
      const { command, words } = parsed
      stdout.write(`${command === undefined ? helpOf(commands, words) : helpOfCommand(command)}\n`)
      return 0
    }
    case 'hand-over': {
      const io = createIo({ ...around, json: false, url: undefined })
      return parsed.command.run({ flags: {}, args: {}, rest: parsed.args, io })
    }
    case 'run': {
      const io = createIo({ ...around, ...parsed.common })
      return parsed.command.run({ ...parsed.values, io } as Parameters<Command['run']>[0])
    }
  }
}
