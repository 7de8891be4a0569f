const endings: (() => Promise<void>)[] = []

/**
 * Runs after the last test of the file. Vitest takes no `afterAll` from within a `beforeAll`, where
 * most of what must end is begun.
 */
export function atEnd(ending: () => Promise<void>): void {
  endings.push(ending)
}

/** The last begun first. */
export async function runEndings(): Promise<void> {
  for (const ending of endings.splice(0).reverse()) await ending()
}
