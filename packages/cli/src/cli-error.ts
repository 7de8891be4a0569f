/** Ends the program with a message for the person at the terminal. */
export class CliError extends Error {
  /** A stable code for scripts, printed with --json. */
  readonly code: string

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'CliError'
    this.code = code
  }
}

export function usageError(message: string): CliError {
  return new CliError('usage', message)
}
