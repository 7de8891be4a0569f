import type { Answer } from '../../packages/server/src/demo/provider/delivery.ts'
import {
  type ModelRequest,
  startMockProvider,
} from '../../packages/server/src/demo/provider/mock-provider.ts'
import { onFileFinished } from './on-file-finished.ts'

/** An answer, or work to do between a request and its answer. */
type Planned = Answer | (() => Promise<Answer>)

/**
 * A mock model provider that follows a plan: each request takes the next answer, and the last one is
 * repeated. It records the requests.
 */
export async function startPlannedProvider() {
  const requests: ModelRequest[] = []
  let plan: Planned[] = []
  const provider = await startMockProvider((request) => {
    requests.push(request)
    const next = plan.length > 1 ? plan.shift() : plan[0]
    const answer = typeof next === 'function' ? next() : next
    return answer ?? { status: 500, message: 'Nothing is planned' }
  })
  onFileFinished(provider.close)
  return {
    url: provider.url,
    requests,
    /** Replaces the plan and clears the recorded requests. */
    plan(...answers: Planned[]) {
      plan = answers
      requests.length = 0
    },
    close: provider.close,
  }
}

export type PlannedProvider = Awaited<ReturnType<typeof startPlannedProvider>>
