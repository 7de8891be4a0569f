import type { Io } from './io.ts'

/**
 * 0: success. 1: a negative result, such as a failed gate. 2: an error. 3 to 5: faults of a log, which
 * only `monitor` reports.
 */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 5

export type Flag = {
  type: 'string' | 'boolean'
  summary: string
  /** Placeholder for the value in the help text. */
  value?: string
  /** May be repeated. */
  multiple?: true
  choices?: readonly string[]
}
export type Flags = Readonly<Record<string, Flag>>

export type Positional = { summary: string; optional?: true; rest?: true }
/** In command-line order; only the last one may be optional or take the rest. */
export type Positionals = Readonly<Record<string, Positional>>

type FlagText<F extends Flag> = F extends { choices: readonly (infer Choice extends string)[] }
  ? Choice
  : string
/** The parser admits only the choices of a flag, so the type of its value names them. */
type FlagValue<F extends Flag> = F extends { type: 'boolean' }
  ? boolean
  : F extends { multiple: true }
    ? readonly FlagText<F>[]
    : FlagText<F>
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
  /** The arguments after `--`. */
  rest: readonly string[]
  io: Io
}

/** One entry of the table from which parsing, help and completion are derived. */
export type Command<F extends Flags = Flags, P extends Positionals = Positionals> = {
  path: readonly [string, ...string[]]
  summary: string
  /** Printed below the usage: facts that the flags do not explain. */
  details?: string
  flags: F
  args: P
  /** Placeholder for the arguments after `--`; without it there are none. */
  rest?: string
  /** Whether the command can be used without them. */
  restOptional?: true
  /** Passes all arguments unparsed to the server program. */
  passThrough?: true
  run(call: Call<F, P>): Promise<ExitCode>
}

/** Infers the types of the flags and arguments that `run` receives. */
export function command<const F extends Flags, const P extends Positionals>(
  definition: Command<F, P>,
): Command {
  // The parser passes every command exactly the values that its own entry declares.
  return definition as unknown as Command
}
