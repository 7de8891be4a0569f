type Ending = () => Promise<void> | void

const endings: Ending[] = []

/**
 * Runs after the last test of the file. Vitest takes no `afterAll` from within a `beforeAll`, where
 * most of what must end is begun.
 */
export function atEnd(ending: Ending): void {
  endings.push(ending)
}

/** The last begun first; one that fails keeps no other from its end. */
export async function runEndings(): Promise<void> {
  const failures: unknown[] = []
  for (const ending of endings.splice(0).reverse()) {
    try {
      await ending()
    } catch (err) {
      failures.push(err)
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'What a test began did not end well')
}
