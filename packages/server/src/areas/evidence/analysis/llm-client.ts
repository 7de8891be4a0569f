import { type Model, ModelError } from '../../../model/model.ts'
import type { AnalysisRequest, JudgedAnalysis } from './analyser.ts'
import { SYSTEM_PROMPT, toPromptData } from './llm-prompt.ts'
import { REPLY_SCHEMA, type ReplyOutcome, readReply } from './llm-reply.ts'

/** The analyser of ANALYZER=llm. Every failure rejects with a ModelError. */
export function createLlmAnalyser({ model }: { model: Model }) {
  return async (request: AnalysisRequest): Promise<JudgedAnalysis> => {
    const { timeoutMs, maxTokens } = request
    const texts = [request.thinking ?? '', request.output ?? '', request.taskContext ?? '']
    const read = (json: unknown): ReplyOutcome => readReply(json, request.values, texts)
    const { json } = await model.complete({
      system: SYSTEM_PROMPT,
      data: toPromptData(request),
      schema: REPLY_SCHEMA,
      maxTokens,
      timeoutMs,
      // The agent waits for the verdict, so a retry or repair shares the deadline.
      deadlineMs: timeoutMs,
      validate(reply) {
        const outcome = read(reply)
        return outcome.ok ? [] : outcome.faults
      },
    })
    const outcome = read(json)
    if (outcome.ok) return outcome.judged
    throw new ModelError('invalid', 'the reply of the model is invalid')
  }
}
