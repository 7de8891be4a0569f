import { CliError } from './cli-error.ts'

/**
 * Runs a command of the server program in this process. The server package is optional, because a
 * client of a remote service does not need it.
 */
export async function runServer(args: readonly string[]): Promise<void> {
  const { main } = await loadServer()
  await main(args)
}

async function loadServer(): Promise<typeof import('@touchstone/server/main')> {
  try {
    return await import('@touchstone/server/main')
  } catch (cause) {
    const isMissing =
      cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND'
    if (!isMissing || !cause.message.includes('@touchstone/server')) throw cause
    throw new CliError(
      'no_server',
      'The service is not installed. Install @touchstone/server, or run this command in a clone.',
      { cause },
    )
  }
}
