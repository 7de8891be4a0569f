import type { Analysis, CheckedValue, Scope, Verdict } from '@touchstone/protocol/analysis'
import type { AlignmentCard } from '@touchstone/protocol/cards'
import type { WindowContext } from '@touchstone/protocol/evidence'

/** One decision to be judged (01 §4.4). The texts are cut already; an absent one is undefined. */
export type AnalysisRequest = {
  card: AlignmentCard
  values: readonly CheckedValue[]
  windowContext: WindowContext
  thinking: string | undefined
  output: string | undefined
  /** Names of actions about to be taken. */
  actions: readonly string[]
  /** Facts for the card's triggers. */
  context: Readonly<Record<string, unknown>>
  taskContext: string | undefined
  scope: Scope['scope']
  /** For the whole analysis, however often the analyser tries. */
  timeoutMs: number
  maxTokens: number
}

/** The verdict is what the analyser called its own result: advice, since concerns decide. */
export type Judged = Analysis & { verdict?: Verdict }
