import { CliError } from './cli-error.ts'

/**
 * Runs a command of the service's own program in this process. The package is optional: whoever
 * only asks a service that runs elsewhere does not need one here.
 */
export async function runServer(args: readonly string[]): Promise<void> {
  const { main } = await loadServer()
  await main(args)
}

async function loadServer(): Promise<typeof import('@touchstone/server/main')> {
  try {
    return await import('@touchstone/server/main')
  } catch (cause) {
    const isAbsent =
      cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND'
    if (!isAbsent || !cause.message.includes('@touchstone/server')) throw cause
    throw new CliError(
      'no_server',
      'The service is not installed here. Install @touchstone/server, or run it from its clone.',
      { cause },
    )
  }
}
