import type { Answer } from '@touchstone/sdk'

type SetupState = Answer<'GET', '/v1/orgs/{org_id}/setup'>

export type SetupStep = { key: keyof SetupState; isDone: boolean }

const ORDER = ['agent', 'decision', 'policy', 'colleague', 'webhook'] as const

/** The steps to a working organisation, in the order in which they are usually done. */
export function setupSteps(state: SetupState): SetupStep[] {
  return ORDER.map((key) => ({ key, isDone: state[key] }))
}
