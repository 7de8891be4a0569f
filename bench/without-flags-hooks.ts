/**
 * Module hooks for a service that does not read the traits of texts, for comparison with one that
 * does. Without a text hash nothing is compared or stored for `low_novelty` either.
 */
const READER = '/areas/evidence/analysis/traits-service.js'
const SOURCE = `
import { NO_TEXT } from '@touchstone/protocol/evidence'
export const createTraitsService = () => async () => NO_TEXT
`

type Loaded = { format: string; source?: string; shortCircuit?: boolean }

export async function load(
  url: string,
  context: object,
  next: (url: string, context: object) => Promise<Loaded>,
): Promise<Loaded> {
  if (!url.endsWith(READER)) return next(url, context)
  return { format: 'module', source: SOURCE, shortCircuit: true }
}
