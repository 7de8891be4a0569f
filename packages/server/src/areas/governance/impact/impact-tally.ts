import type { Evaluation, PolicyVerdict } from '@touchstone/protocol/policy'

/** How many calls a draft changes: those that fail only with it, and those that fail only today. */
export type Changes = { newlyFailing: number; newlyPassing: number; unchanged: number }

export type Sample = {
  traceId: string
  agentId: string
  occurredAt: Date
  /** The verdict of the whole call. */
  before: PolicyVerdict
  after: PolicyVerdict
}

export type Impact = Changes & {
  tracesEvaluated: number
  /** Sorted by number of changes, then by name. `*` is the call as a whole. */
  tools: readonly (Changes & { tool: string; samples: readonly Sample[] })[]
  toolsTotal: number
  agents: readonly (Changes & { agentId: string })[]
  agentsTotal: number
}

type Judged = Pick<Evaluation, 'verdict' | 'violations'>

export type JudgedTrace = {
  trace: { traceId: string; agentId: string; occurredAt: Date; tools: readonly string[] }
  before: Judged
  after: Judged
}

export const SAMPLES_MAX = 10
/** Bounds the answer, which also contains the totals. */
export const LISTED_MAX = 200

/** Traces must be added newest first, so that the samples are the newest. */
export function createImpactTally() {
  const all = { ...NONE }
  const tools = new Map<string, Changes & { tool: string; samples: Sample[] }>()
  const agents = new Map<string, Changes & { agentId: string }>()
  let tracesEvaluated = 0
  return {
    add({ trace, before, after }: JudgedTrace): void {
      const { traceId, agentId, occurredAt } = trace
      tracesEvaluated += 1
      const change = changeOf(before.verdict === 'fail', after.verdict === 'fail')
      all[change] += 1
      const agent = agents.get(agentId) ?? { agentId, ...NONE }
      agent[change] += 1
      agents.set(agentId, agent)
      const blocked = { before: blockedTools(before), after: blockedTools(after) }
      // A condition about the whole call blocks `*`, which is then listed beside the tools.
      const judged = new Set([...trace.tools, ...blocked.before, ...blocked.after])
      for (const name of judged) {
        const tool = tools.get(name) ?? { tool: name, ...NONE, samples: [] }
        tools.set(name, tool)
        const ofTool = changeOf(blocked.before.has(name), blocked.after.has(name))
        tool[ofTool] += 1
        if (ofTool === 'unchanged' || tool.samples.length === SAMPLES_MAX) continue
        tool.samples.push({
          traceId,
          agentId,
          occurredAt,
          before: before.verdict,
          after: after.verdict,
        })
      }
    },

    result: (): Impact => ({
      ...all,
      tracesEvaluated,
      tools: mostChanged([...tools.values()], ({ tool }) => tool),
      toolsTotal: tools.size,
      agents: mostChanged([...agents.values()], ({ agentId }) => agentId),
      agentsTotal: agents.size,
    }),
  }
}

const NONE: Changes = { newlyFailing: 0, newlyPassing: 0, unchanged: 0 }

function changeOf(failed: boolean, fails: boolean): keyof Changes {
  if (failed === fails) return 'unchanged'
  return fails ? 'newlyFailing' : 'newlyPassing'
}

function blockedTools({ violations }: Judged): Set<string> {
  return new Set(violations.filter(({ blocking }) => blocking).map(({ tool }) => tool))
}

function mostChanged<Item extends Changes>(items: Item[], nameOf: (item: Item) => string): Item[] {
  const changes = (item: Item) => item.newlyFailing + item.newlyPassing
  return items
    .sort((a, b) => changes(b) - changes(a) || (nameOf(a) < nameOf(b) ? -1 : 1))
    .slice(0, LISTED_MAX)
}
