import type { TurnSummary } from '@touchstone/protocol/model-wire'
import { evidenceOf } from './evidence.ts'
import type { Checkpoints, Submission, TurnFacts } from './ports.ts'
import { sourceOf, submissionOf } from './submission-service.ts'

export type ThinkingDeps = {
  checkpoints: Pick<Checkpoints, 'dryRun'>
  /** How long a held call waits for the analysis. */
  analysisHoldMs: number
  /** The result of an analysis that failed or took too long. */
  failurePolicy: 'fail_open' | 'fail_closed' | 'rules'
  onFailure(err: unknown): void
}

export type ThinkingService = ReturnType<typeof createThinking>

/**
 * Analyses what the model thought before its calls are released, for agents in mode enforce (spec:
 * model-gateway §3.5). Nothing is stored: the turn becomes a checkpoint when it has ended.
 */
export function createThinking(deps: ThinkingDeps) {
  return {
    /** Tells whether the thinking of a turn is a violation, at most once per text. */
    of(facts: TurnFacts): (summary: TurnSummary) => Promise<boolean> {
      const { agentMode, connection } = facts
      const isJudged = agentMode === 'enforce' && connection.mode === 'enforce'
      let judged: { thinking: string; isViolation: Promise<boolean> } | undefined
      return async (summary) => {
        const { thinking } = summary
        if (!isJudged || thinking === '') return false
        if (judged?.thinking !== thinking) {
          judged = { thinking, isViolation: judge(deps, facts, summary) }
        }
        return judged.isViolation
      }
    },
  }
}

async function judge(deps: ThinkingDeps, facts: TurnFacts, summary: TurnSummary): Promise<boolean> {
  const submission = submissionOf(facts, evidenceOf(summary, [], false), undefined)
  const analyse = async (wanted: Submission): Promise<boolean> => {
    const sender = { ...facts.org, sentBy: facts.connection.connectionId }
    const { checkpoint } = await deps.checkpoints.dryRun(sender, wanted, sourceOf(facts.connection))
    return checkpoint.verdict === 'boundary_violation'
  }
  try {
    return await withinMs(analyse(submission), deps.analysisHoldMs)
  } catch (err) {
    deps.onFailure(err)
    if (deps.failurePolicy === 'rules') return analyse({ ...submission, isByRules: true })
    return deps.failurePolicy === 'fail_closed'
  }
}

/** Rejects after that long; the work goes on, and its later failure is of no interest. */
async function withinMs<Of>(work: Promise<Of>, ms: number): Promise<Of> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('the analysis took too long')), ms)
  })
  work.catch(() => undefined)
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
