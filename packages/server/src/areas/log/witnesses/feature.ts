import type { Lifecycle } from '../../../lifecycle-phases.ts'
import { createWitnessService, type WitnessDeps } from './service.ts'

export function createWitnessFeature(deps: WitnessDeps, lifecycle: Lifecycle) {
  const service = createWitnessService(deps)
  lifecycle.add({
    name: 'log/witnesses',
    hooks: { drain: { run: service.stop, after: ['log/sequencer'] } },
    purges: [{ name: 'cosignatures', run: service.purge }],
  })
  return { service }
}
