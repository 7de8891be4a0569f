import { GRADES, standingOf } from '@touchstone/protocol/score'
import { ApiError } from './api-error.ts'
import type { Client } from './client.ts'
import type { Answer } from './operation.ts'

export type Reputation = Answer<'GET', '/v1/reputation/{agent_id}'>
export type Grade = Reputation['grade']

export type GateOptions = {
  minScore?: number
  minGrade?: Exclude<Grade, 'NR'>
  /** Judge the low end of the score's interval, which few checkpoints pull far down. */
  conservative?: boolean
}

export type GateOutcome = {
  allowed: boolean
  agentId: string
  /** What was compared: the score, or its low end; null for an agent without one. */
  score: number | null
  grade: Grade
  /** Why not, in whole sentences; empty where it is allowed. */
  reasons: readonly string[]
}

export type ReputationGate = (agentId: string) => Promise<GateOutcome>

/**
 * Asks whether an agent's reputation is good enough. An agent without a score, or unknown, is not
 * let through; when the service cannot say, the error is thrown.
 */
export function reputationGate(client: Client, options: GateOptions): ReputationGate {
  if (options.minScore === undefined && options.minGrade === undefined) {
    throw new TypeError('minScore or minGrade is needed')
  }
  return async (agentId) => {
    const params = { agent_id: agentId }
    try {
      return judge(await client.request('GET', '/v1/reputation/{agent_id}', { params }), options)
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
  reasons: ['The agent is not known.'],
} as const

/** The same, of a reputation that is at hand. */
export function judge(reputation: Reputation, options: GateOptions): GateOutcome {
  const { agent_id: agentId, grade: stated, score: full, conservative_score: low } = reputation
  const score = options.conservative ? low : full
  const grade = options.conservative && score !== null ? standingOf(score).grade : stated
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
  // From the best down.
  const rank = (of: Grade) => GRADES.findIndex((one) => one.grade === of)
  if (rank(grade) <= rank(min)) return []
  return [`The grade is ${grade}; at least ${min} is needed.`]
}
