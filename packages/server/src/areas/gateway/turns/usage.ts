/** Turns and tokens of one agent, hour and model. */
export type Usage = {
  requestedModel: string
  model: string
  turns: number
  inputTokens: number
  cachedTokens: number
  outputTokens: number
  toolCalls: number
  blocked: number
  ungoverned: number
}

export type UsageOfHour = Usage & { orgId: string; agentId: string; hour: Date }

/** The sums by agent, hour and models, in an order that is the same in every process. */
export function sumUsage(turns: readonly UsageOfHour[]): UsageOfHour[] {
  const sums = new Map<string, UsageOfHour>()
  for (const turn of turns) {
    const key = JSON.stringify([
      turn.orgId,
      turn.agentId,
      turn.hour.getTime(),
      turn.requestedModel,
      turn.model,
    ])
    const sum = sums.get(key)
    sums.set(key, sum === undefined ? turn : add(sum, turn))
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum)
}

function add(a: UsageOfHour, b: UsageOfHour): UsageOfHour {
  return {
    ...a,
    turns: a.turns + b.turns,
    inputTokens: a.inputTokens + b.inputTokens,
    cachedTokens: a.cachedTokens + b.cachedTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    toolCalls: a.toolCalls + b.toolCalls,
    blocked: a.blocked + b.blocked,
    ungoverned: a.ungoverned + b.ungoverned,
  }
}
