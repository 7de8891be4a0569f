import type { Forecast, PolicyDraft } from '@touchstone/protocol/intelligence'
import { type Model, ModelError } from '../../../model/model.ts'
import { FORECAST_PROMPT, FORECAST_SCHEMA, readForecast } from './forecast-reply.ts'
import type { FallbackReason, Producer } from './item.ts'
import {
  type Floor,
  RECOMMENDATION_PROMPT,
  RECOMMENDATION_SCHEMA,
  readRecommendation,
  recommendationDocument,
} from './recommendation-reply.ts'
import type { ReplyOutcome } from './reply-reader.ts'
import type { TeamView } from './team-view.ts'

/** Must change with every edit of the prompts or schemas that could change a reply. */
const PROMPT_VERSION = 'prompt-1'

/** Limits of a request (spec: interface, Limits; spec: fleet §5.4). */
const CALL_MS_MAX = 15_000
const ALL_MS_MAX = 45_000
const TOKENS_MAX = 2048

export type Advice<Value> =
  | { given: true; value: Value; producedBy: Producer }
  | { given: false; reason: FallbackReason }

export type AdviserDeps = {
  model: Model
  /** The error contains nothing of the request or the reply, so it may be logged. */
  onFailure(reason: FallbackReason, err: ModelError): void
  /** Shorter in tests. */
  timing?: { callMsMax: number; allMsMax: number }
}

export type Adviser = ReturnType<typeof createAdviser>

/** Asks the operator's model. Returns a valid reply, or the reason why there is none. */
export function createAdviser(deps: AdviserDeps) {
  return {
    forecast: (view: TeamView): Promise<Advice<Forecast>> =>
      ask(deps, {
        system: FORECAST_PROMPT,
        schema: FORECAST_SCHEMA,
        data: view.document,
        read: (json) => readForecast(json, view),
      }),

    recommend: (floor: Floor): Promise<Advice<PolicyDraft>> =>
      ask(deps, {
        system: RECOMMENDATION_PROMPT,
        schema: RECOMMENDATION_SCHEMA,
        data: recommendationDocument(floor),
        read: (json) => readRecommendation(json, floor),
      }),
  }
}

type Question<Value> = {
  system: string
  schema: object
  data: object
  read(json: unknown): ReplyOutcome<Value>
}

async function ask<Value>(deps: AdviserDeps, question: Question<Value>): Promise<Advice<Value>> {
  const { model, timing } = deps
  const { system, schema, data } = question
  let last: ReplyOutcome<Value> | undefined
  try {
    const { provider, model: name } = await model.complete({
      system,
      schema,
      data,
      maxTokens: TOKENS_MAX,
      timeoutMs: timing?.callMsMax ?? CALL_MS_MAX,
      deadlineMs: timing?.allMsMax ?? ALL_MS_MAX,
      validate(json) {
        last = question.read(json)
        return last.ok ? [] : last.faults
      },
    })
    if (!last?.ok) throw new ModelError('invalid', 'the model returned an invalid reply')
    const producedBy: Producer = {
      kind: 'model',
      name: `${provider}/${name}`,
      version: PROMPT_VERSION,
    }
    return { given: true, value: last.value, producedBy }
  } catch (err) {
    if (!(err instanceof ModelError)) throw err
    const reason = reasonOf(err, last)
    deps.onFailure(reason, err)
    return { given: false, reason }
  }
}

/** A model that declines gave invalid output; a server that rejects the request is an HTTP error. */
function reasonOf(err: ModelError, last: ReplyOutcome<unknown> | undefined): FallbackReason {
  if (err.kind === 'timeout') return 'timeout'
  if (err.kind === 'transport' || err.status !== undefined) return 'http_error'
  return last?.ok === false && last.kind === 'policy' ? 'invalid_policy' : 'invalid_output'
}
