import {
  type AssuranceLevel,
  assuranceName,
  GRADES,
  isAssuranceLevel,
  standingOf,
} from '@touchstone/protocol/score'
import type { components } from './api.ts'
import { ApiError } from './api-error.ts'
import type { Client } from './client.ts'

export type Reputation = components['schemas']['ReputationScore']
export type Grade = components['schemas']['Grade']

export type GateOptions = {
  minScore?: number
  minGrade?: Exclude<Grade, 'NR'>
  /** The lowest assurance level that is allowed, 1 by default; 0 allows any. */
  minAssurance?: AssuranceLevel
  /**
   * Compare the low end of the score's interval, which is far lower with few checkpoints, without
   * the cap of the assurance level.
   */
  conservative?: boolean
  /** Compare the score itself, which can be made of the agent's own claims alone. */
  raw?: boolean
}

const ASSURANCE_MIN_DEFAULT = 1

export type GateOutcome = {
  allowed: boolean
  agentId: string
  /** The number that was compared, by default the assured score; null if there is none. */
  score: number | null
  /** The grade of that number. */
  grade: Grade
  /** Null if there is no assurance yet. */
  assurance: AssuranceLevel | null
  /** Why the agent is not allowed, in whole sentences; empty if it is. */
  reasons: readonly string[]
}

export type ReputationGate = (agentId: string) => Promise<GateOutcome>

/**
 * Checks whether an agent's reputation is good enough, by its assured score and its assurance. An agent that is unknown or not rated is not
 * allowed; if the service cannot be reached or refuses the request, the error is thrown.
 */
export function reputationGate(client: Client, options: GateOptions): ReputationGate {
  if (options.minScore === undefined && options.minGrade === undefined) {
    throw new TypeError('reputationGate: minScore or minGrade is required')
  }
  if (options.raw === true && options.conservative === true) {
    throw new TypeError('reputationGate: raw and conservative exclude each other')
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
  assurance: null,
  reasons: ['The agent was not found.'],
} as const

function evaluate(reputation: Reputation, options: GateOptions): GateOutcome {
  const { agent_id: agentId } = reputation
  const score = comparedScore(reputation, options)
  const grade = options.raw === true ? reputation.grade : gradeOf(score)
  const level = reputation.assurance?.level
  const assurance = isAssuranceLevel(level) ? level : null
  const reasons = [
    ...scoreReasons(score, options.minScore),
    ...gradeReasons(grade, options.minGrade),
    ...assuranceReasons(assurance, options.minAssurance ?? ASSURANCE_MIN_DEFAULT),
  ]
  return { allowed: reasons.length === 0, agentId, score, grade, assurance, reasons }
}

function comparedScore(reputation: Reputation, options: GateOptions): number | null {
  if (options.raw === true) return reputation.score
  return options.conservative === true ? reputation.conservative_score : reputation.assured_score
}

function gradeOf(score: number | null): Grade {
  return score === null ? 'NR' : standingOf(score).grade
}

function assuranceReasons(level: AssuranceLevel | null, min: AssuranceLevel): string[] {
  if (min === 0) return []
  const wanted = `at least ${min} (${assuranceName(min)}) is needed`
  if (level === null) return [`The agent has no assurance level yet; ${wanted}.`]
  if (level >= min) return []
  return [`The assurance level is ${level} (${assuranceName(level)}); ${wanted}.`]
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
