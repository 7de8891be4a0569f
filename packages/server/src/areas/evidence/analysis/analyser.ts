import type { Analysis, CheckedValue, Scope, Verdict } from '@touchstone/protocol/analysis'
import type { AlignmentCard } from '@touchstone/protocol/cards'
import type { WindowContext } from '@touchstone/protocol/evidence'

/** One submission to analyse (spec: evidence §4.4). Texts are already truncated. */
export type AnalysisRequest = {
  card: AlignmentCard
  values: readonly CheckedValue[]
  windowContext: WindowContext
  thinking: string | undefined
  output: string | undefined
  /** Names of the actions the agent is about to take. */
  actions: readonly string[]
  /** Facts that the card's triggers refer to. */
  context: Readonly<Record<string, unknown>>
  taskContext: string | undefined
  scope: Scope['scope']
  /** For the whole analysis, retries included. */
  timeoutMs: number
  maxTokens: number
}

/** The analyser's own verdict is advisory: the stored verdict is derived from the concerns. */
export type JudgedAnalysis = Analysis & { verdict?: Verdict }

/** An analyser behind the network. Rejects if it gets no usable reply. */
export type RemoteAnalyser = (request: AnalysisRequest) => Promise<JudgedAnalysis>
