import {
  type Analysis,
  type CheckedValue,
  checkedValues,
  createRuleAnalyser,
  deriveVerdict,
  type Excerpt,
  type ExtractionMethod,
  extractionOf,
  hasEnoughEvidence,
  type RuleFacts,
  scopeOf,
  tokensOf,
  truncateOutput,
  truncateThinking,
  type Verdict,
} from '@touchstone/protocol/analysis'
import type { AlignmentCard } from '@touchstone/protocol/cards'
import { hashCanonical } from '@touchstone/protocol/crypto'
import {
  type AnalysisDetails,
  type Examination,
  type SyntheticReason,
  valuesHash,
  type WindowContext,
} from '@touchstone/protocol/evidence'
import { createCache } from '../../../kernel/cache.ts'
import { type Clock, HOUR_MS } from '../../../kernel/clock.ts'
import type { JudgedAnalysis, RemoteAnalyser } from './analyser.ts'
import type { Cards, CardVersion } from './ports.ts'

const RULES_MODEL = 'rules-v1'

/** Compiled cards are cached for this many agents. */
const BASES_MAX = 2000

/** The content of a decision; absent texts are undefined. */
export type DecisionContent = {
  thinking: string | undefined
  output: string | undefined
  actions: readonly string[]
  context: Readonly<Record<string, unknown>>
  taskContext: string | undefined
  extractionMethod: ExtractionMethod | undefined
}

/** The rules an agent's decisions are checked against: its card and its organisation's layers. */
type Basis = {
  cardId: string
  card: AlignmentCard
  values: readonly CheckedValue[]
  cardHash: string
  valuesHash: string
  byRules: (facts: RuleFacts) => Analysis
}

type ExaminedDecision = {
  examination: Examination
  /** The window that the analyser was shown; undefined if it was shown none. */
  windowShown: WindowContext | undefined
}

export type AnalysedDecision = ExaminedDecision & {
  basis: { cardId: string; cardHash: string; valuesHash: string }
}

export type AnalysisDeps = {
  clock: Clock
  cards: Cards
  /** Present when ANALYZER=llm; otherwise the rules analyse. */
  remote: { model: string; analyse: RemoteAnalyser } | undefined
  failurePolicy: 'fail_open' | 'fail_closed' | 'rules'
  onFailure(err: unknown): void
}

/** The analysis pipeline, from the texts to a verdict (spec: evidence §4.3). Stores nothing. */
export function createAnalysisService(deps: AnalysisDeps) {
  const basisOf = createBases(deps)
  return {
    async analyse(
      agent: CardVersion,
      decision: DecisionContent,
      loadWindow: () => Promise<WindowContext>,
    ): Promise<AnalysedDecision> {
      const basis = await basisOf(agent)
      const { examination, windowShown } = await examine(deps, { decision, basis, loadWindow })
      return { examination, windowShown, basis }
    },
  }
}

/** Caches compiled cards. A card version is immutable, so only a change of its layers evicts it. */
function createBases(deps: AnalysisDeps): (card: CardVersion) => Promise<Basis> {
  const limits = { clock: deps.clock, entriesMax: BASES_MAX, ttlMs: HOUR_MS }
  const bases = createCache<Promise<{ basis: Basis; layerStamp: string }>>(limits)
  const load = async (card: CardVersion) => {
    const found = await deps.cards.forAnalysis(card)
    return { basis: toBasis(found), layerStamp: found.layerStamp }
  }
  return async (card) => {
    const stamp = await deps.cards.layerStamp(card)
    const key = `${card.agentId} ${card.version} ${stamp}`
    const cached = bases.get(key) ?? load(card)
    bases.set(key, cached)
    try {
      const { basis, layerStamp } = await cached
      // The layers changed while the card was loading. They may change back to this stamp, which
      // must then not find the other card.
      if (layerStamp !== stamp) bases.delete(key)
      return basis
    } catch (err) {
      bases.delete(key)
      throw err
    }
  }
}

async function examine(
  deps: AnalysisDeps,
  {
    decision,
    basis,
    loadWindow,
  }: { decision: DecisionContent; basis: Basis; loadWindow: () => Promise<WindowContext> },
): Promise<ExaminedDecision> {
  if (!hasEnoughEvidence(textsOf(decision))) {
    const examination = unanalysed(decision, 'below_evidence_threshold', 'clear')
    return { examination, windowShown: undefined }
  }
  const texts = excerptsOf(decision)
  if (deps.remote === undefined) return byRules(deps, { decision, basis, texts })
  return byModel(deps, deps.remote, { decision, basis, texts }, await loadWindow())
}

function toBasis(found: Awaited<ReturnType<Cards['forAnalysis']>>): Basis {
  const values = checkedValues(found.values)
  return {
    cardId: found.cardId,
    card: found.card,
    values,
    cardHash: hashCanonical(found.card),
    valuesHash: valuesHash(found.values),
    byRules: createRuleAnalyser({ card: found.card, conscienceValues: values }),
  }
}

type Texts = { thinking: Excerpt | undefined; output: Excerpt | undefined }
type Case = { decision: DecisionContent; basis: Basis; texts: Texts }

/** Omits absent texts: the protocol's types take no undefined members. */
function textsOf({ thinking, output }: DecisionContent) {
  return {
    ...(thinking === undefined ? {} : { thinking }),
    ...(output === undefined ? {} : { output }),
  }
}

function excerptsOf({ thinking, output }: DecisionContent): Texts {
  return {
    thinking: thinking === undefined ? undefined : truncateThinking(thinking),
    output: output === undefined ? undefined : truncateOutput(output),
  }
}

function byRules(deps: AnalysisDeps, { decision, basis, texts }: Case): ExaminedDecision {
  const startedAt = deps.clock.now()
  const analysis = basis.byRules({
    thinking: texts.thinking?.text ?? '',
    output: texts.output?.text ?? '',
    actions: decision.actions,
    context: decision.context,
  })
  const durationMs = deps.clock.nowMs() - startedAt.getTime()
  const by = { analyzer: 'rules', analysisModel: RULES_MODEL, durationMs } as const
  return { examination: conclude(analysis, { decision, texts }, by), windowShown: undefined }
}

async function byModel(
  deps: AnalysisDeps,
  remote: { model: string; analyse: RemoteAnalyser },
  target: Case,
  window: WindowContext,
): Promise<ExaminedDecision> {
  const { decision, basis, texts } = target
  const startedAt = deps.clock.now()
  try {
    const judged = await remote.analyse({
      card: basis.card,
      values: basis.values,
      windowContext: window,
      thinking: texts.thinking?.text,
      output: texts.output?.text,
      actions: decision.actions,
      context: decision.context,
      taskContext: decision.taskContext,
      ...scopeOf(textsOf(decision)),
    })
    const durationMs = deps.clock.nowMs() - startedAt.getTime()
    const by = { analyzer: 'llm', analysisModel: remote.model, durationMs } as const
    return { examination: conclude(judged, target, by), windowShown: window }
  } catch (err) {
    deps.onFailure(err)
    const durationMs = deps.clock.nowMs() - startedAt.getTime()
    return { examination: { ...afterFailure(deps, target), durationMs }, windowShown: undefined }
  }
}

/** The operator chooses the result of a failed analysis; the checkpoint records that it failed. */
function afterFailure(deps: AnalysisDeps, target: Case): Examination {
  if (deps.failurePolicy === 'fail_open') {
    return unanalysed(target.decision, 'analysis_failed', 'clear')
  }
  if (deps.failurePolicy === 'fail_closed') {
    return unanalysed(target.decision, 'analysis_failed', 'boundary_violation')
  }
  const { examination } = byRules(deps, target)
  const { conscienceContext } = examination
  const considerations = [...conscienceContext.considerations, 'llm_unavailable']
  return { ...examination, conscienceContext: { ...conscienceContext, considerations } }
}

type JudgedBy = Pick<Examination, 'analyzer' | 'analysisModel' | 'durationMs'>

function conclude(
  judged: JudgedAnalysis,
  { decision, texts }: Pick<Case, 'decision' | 'texts'>,
  by: JudgedBy,
): Examination {
  const verdict = deriveVerdict(judged.concerns)
  const differs = judged.verdict !== undefined && judged.verdict !== verdict
  return {
    verdict,
    concerns: judged.concerns,
    reasoningSummary: judged.reasoning_summary,
    conscienceContext: judged.conscience_context,
    analyzer: by.analyzer,
    analysisModel: by.analysisModel,
    durationMs: by.durationMs,
    confidence: extractionOf(textsOf(decision), decision.extractionMethod).confidence,
    details: detailsOf(decision, texts),
    syntheticReason: null,
    crossValidationWarnings: differs
      ? [`analyser said ${judged.verdict}, concerns give ${verdict}`]
      : [],
  }
}

function detailsOf(decision: DecisionContent, { thinking, output }: Texts): AnalysisDetails {
  return {
    analysis_scope: scopeOf(textsOf(decision)).scope,
    thinking_tokens_original: thinking?.tokensOriginal ?? 0,
    thinking_tokens_analyzed: thinking?.tokensAnalyzed ?? 0,
    truncated: thinking?.truncated ?? false,
    ...(output === undefined
      ? {}
      : {
          output_tokens_original: output.tokensOriginal,
          output_tokens_analyzed: output.tokensAnalyzed,
          output_truncated: output.truncated,
        }),
  }
}

const NOT_ANALYSED: Record<SyntheticReason, string> = {
  below_evidence_threshold: 'Not analysed: less than 100 tokens of evidence.',
  analysis_failed: 'Not analysed: the analyser gave no usable answer.',
}

function unanalysed(
  decision: DecisionContent,
  reason: SyntheticReason,
  verdict: Verdict,
): Examination {
  const { thinking = '', output } = decision
  return {
    verdict,
    concerns: [],
    reasoningSummary: NOT_ANALYSED[reason],
    conscienceContext: {
      values_checked: [],
      conflicts: [],
      supports: [],
      considerations: [],
      consultation_depth: 'surface',
    },
    analyzer: 'none',
    analysisModel: 'none',
    durationMs: 0,
    confidence: extractionOf(textsOf(decision), decision.extractionMethod).confidence,
    details: {
      analysis_scope: scopeOf(textsOf(decision)).scope,
      thinking_tokens_original: tokensOf(thinking),
      thinking_tokens_analyzed: 0,
      truncated: false,
      ...(output === undefined
        ? {}
        : {
            output_tokens_original: tokensOf(output),
            output_tokens_analyzed: 0,
            output_truncated: false,
          }),
    },
    syntheticReason: reason,
    crossValidationWarnings: [],
  }
}
