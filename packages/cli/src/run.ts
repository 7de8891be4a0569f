import type { Command, ExitCode } from './command.ts'
import { describeFailure } from './failure.ts'
import { helpOf, helpOfCommand } from './help.ts'
import { createIo, type IoOptions } from './io.ts'
import { createPaint } from './paint.ts'
import { type Parsed, parse } from './parse.ts'

export type RunContext = Omit<IoOptions, 'json' | 'url'> & {
  commands: readonly Command[]
}

/** Runs one command line. Never throws: errors are printed to standard error. */
export async function run(argv: readonly string[], context: RunContext): Promise<ExitCode> {
  const { stderr, color } = context
  try {
    return await runParsed(parse(argv, context.commands), context)
  } catch (err) {
    // Parsing may have failed, so --json is looked up in the raw arguments.
    stderr(
      `${describeFailure(err, { json: argv.includes('--json'), paint: createPaint(color) })}\n`,
    )
    return 2
  }
}

async function runParsed(parsed: Parsed, context: RunContext): Promise<ExitCode> {
  const { stdout, commands, env } = context
  switch (parsed.kind) {
    case 'version':
      stdout.write(`${env.version}\n`)
      return 0
    case 'help': {
      const { command, words } = parsed
      stdout.write(`${command === undefined ? helpOf(commands, words) : helpOfCommand(command)}\n`)
      return 0
    }
    case 'pass-through': {
      const io = createIo({ ...context, json: false, url: undefined })
      return parsed.command.run({ flags: {}, args: {}, rest: parsed.args, io })
    }
    case 'run': {
      const io = createIo({ ...context, ...parsed.common })
      // The parser returns what the command declares; see `command`.
      return parsed.command.run({ ...parsed.values, io } as Parameters<Command['run']>[0])
    }
  }
}
