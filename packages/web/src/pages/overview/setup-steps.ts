/** The numbers that the checklist is made of. */
export type SetupState = {
  agents: number
  decisions: number
  policies: number
  /** Members, and people who are invited. */
  people: number
  webhooks: number
}

export type SetupStep = { key: keyof SetupState; isDone: boolean }

const ORDER = ['agents', 'decisions', 'policies', 'people', 'webhooks'] as const

/** The steps to a working organisation, in the order in which they are usually done. */
export function setupSteps(state: SetupState): SetupStep[] {
  // The reader is a member.
  const isDone = (key: keyof SetupState) => state[key] > (key === 'people' ? 1 : 0)
  return ORDER.map((key) => ({ key, isDone: isDone(key) }))
}
