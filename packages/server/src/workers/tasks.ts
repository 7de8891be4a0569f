import { reportTeam } from '@touchstone/protocol'

/** Everything that runs on a thread of its own. */
export const TASKS = { reportTeam } as const

export type ServerTasks = typeof TASKS
