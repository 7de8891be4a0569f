import { teamRisk } from '@touchstone/protocol'

/** Everything that runs on a thread of its own. */
export const TASKS = { teamRisk } as const

export type ServerTasks = typeof TASKS
