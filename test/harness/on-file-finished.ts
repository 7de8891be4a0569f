type Cleanup = () => Promise<void> | void

const cleanups: Cleanup[] = []

/**
 * Runs a cleanup after the last test of the file. Vitest accepts no `afterAll` within a
 * `beforeAll`, where most resources are opened.
 */
export function onFileFinished(cleanup: Cleanup): void {
  cleanups.push(cleanup)
}

/** Runs the cleanups in reverse order; a failing one does not stop the rest. */
export async function runCleanups(): Promise<void> {
  const failures: unknown[] = []
  for (const cleanup of cleanups.splice(0).reverse()) {
    try {
      await cleanup()
    } catch (err) {
      failures.push(err)
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'What a test began did not end well')
}
