import { schedulePurge } from './jobs.ts'

export function createRetentionFeature(deps: Parameters<typeof schedulePurge>[0]): void {
  schedulePurge(deps)
}
