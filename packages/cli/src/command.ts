import type { Io } from './io.ts'

/** 0: done, or yes. 1: no, such as a gate that is not met. 2: it could not be found out. */
export type ExitCode = 0 | 1 | 2

export type Flag = {
  type: 'string' | 'boolean'
  summary: string
  /** What help calls the value. */
  value?: string
  /** May be given more than once. */
  multiple?: true
  choices?: readonly string[]
}
export type Flags = Readonly<Record<string, Flag>>

export type Positional = { summary: string; optional?: true; rest?: true }
/** In the order in which they are typed; only the last may be optional or the rest. */
export type Positionals = Readonly<Record<string, Positional>>

type FlagValue<F extends Flag> = F extends { type: 'boolean' }
  ? boolean
  : F extends { multiple: true }
    ? readonly string[]
    : string
export type FlagValues<F extends Flags> = { readonly [K in keyof F]?: FlagValue<F[K]> }

type PositionalValue<P extends Positional> = P extends { rest: true }
  ? readonly string[]
  : P extends { optional: true }
    ? string | undefined
    : string
export type PositionalValues<P extends Positionals> = {
  readonly [K in keyof P]: PositionalValue<P[K]>
}

export type Call<F extends Flags, P extends Positionals> = {
  flags: FlagValues<F>
  args: PositionalValues<P>
  /** What was typed after `--`. */
  rest: readonly string[]
  io: Io
}

/** One line of the table from which parsing, help and completion are made. */
export type Command<F extends Flags = Flags, P extends Positionals = Positionals> = {
  path: readonly [string, ...string[]]
  summary: string
  /** Below the usage; what a reader must know and the flags do not say. */
  details?: string
  flags: F
  args: P
  /** What help calls the words after `--`; none are taken without. */
  rest?: string
  /** Belongs to another program, which reads the arguments itself. */
  handsOver?: true
  run(call: Call<F, P>): Promise<ExitCode>
}

/** Lets `run` know its flags and arguments by name and type. */
export function command<const F extends Flags, const P extends Positionals>(
  definition: Command<F, P>,
): Command {
  // The parser gives every command exactly the values its own table asks for.
  return definition as unknown as Command
}
