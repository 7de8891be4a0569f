import { GRADES, standingOf } from '@touchstone/protocol/score'
import type { components } from './api.ts'
import { ApiError } from './api-error.ts'
import type { Client } from './client.ts'

export type Reputation = components['schemas']['ReputationScore']
export type Grade = components['schemas']['Grade']

export type GateOptions = {
  minScore?: number
  minGrade?: Exclude<Grade, 'NR'>
  /** Compare the low end of the score's interval, which is far lower with few checkpoints. */
  conservative?: boolean
}

export type GateOutcome = {
  allowed: boolean
  agentId: string
  /** The score that was compared, or its low end; null if the agent is not rated. */
  score: number | null
  grade: Grade
  /** Why the agent is not allowed, in whole sentences; empty if it is. */
  reasons: readonly string[]
}

export type ReputationGate = (agentId: string) => Promise<GateOutcome>

/**
 * Checks whether an agent's reputation is good enough. An agent that is unknown or not rated is not
 * allowed; if the service cannot be reached or refuses the request, the error is thrown.
 */
export function reputationGate(client: Client, options: GateOptions): ReputationGate {
  if (options.minScore === undefined && options.minGrade === undefined) {
    throw new TypeError('reputationGate: minScore or minGrade is required')
  }
  return async (agentId) => {
    const params = { agent_id: agentId }
    try {
      return evaluate(await client.request('GET', '/v1/reputation/{agent_id}', { params }), options)
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404) throw error
      return { ...UNKNOWN, agentId }
    }
  }
}

const UNKNOWN = {
  allowed: false,
  score: null,
  grade: 'NR',
  reasons: ['The agent was not found.'],
} as const

function evaluate(reputation: Reputation, options: GateOptions): GateOutcome {
  const {
    agent_id: agentId,
    grade: fullGrade,
    score: fullScore,
    conservative_score: lowScore,
  } = reputation
  const score = options.conservative ? lowScore : fullScore
  const grade = options.conservative && score !== null ? standingOf(score).grade : fullGrade
  const reasons = [
    ...scoreReasons(score, options.minScore),
    ...gradeReasons(grade, options.minGrade),
  ]
  return { allowed: reasons.length === 0, agentId, score, grade, reasons }
}

function scoreReasons(score: number | null, min: number | undefined): string[] {
  if (min === undefined) return []
  if (score === null) return ['The agent has no score yet.']
  return score >= min ? [] : [`The score is ${score}; at least ${min} is needed.`]
}

function gradeReasons(grade: Grade, min: Grade | undefined): string[] {
  if (min === undefined) return []
  if (grade === 'NR') return ['The agent has no grade yet.']
  // GRADES is sorted from best to worst.
  const rank = (wanted: Grade) => GRADES.findIndex((entry) => entry.grade === wanted)
  if (rank(grade) <= rank(min)) return []
  return [`The grade is ${grade}; at least ${min} is needed.`]
}
