import {
  type Analysis,
  type CheckedValue,
  type Concern,
  checkedValues,
  createRuleAnalyser,
  deriveVerdict,
  type Excerpt,
  type ExtractionMethod,
  extractionOf,
  hasEnoughEvidence,
  type RuleFacts,
  scopeOf,
  subjectAmong,
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
  isSynthetic,
  NO_TEXT,
  type SyntheticReason,
  type TextTraits,
  valuesHash,
  type WindowContext,
} from '@touchstone/protocol/evidence'
import { createCache } from '../../../kernel/cache.ts'
import { type Clock, HOUR_MS } from '../../../kernel/clock.ts'
import type { JudgedAnalysis, RemoteAnalyser } from './analyser.ts'
import type { Cards, CardVersion } from './ports.ts'
import { traitsOf } from './traits-service.ts'

const RULES_MODEL = 'rules-v1'

/** Compiled cards are cached for this many agents. */
const BASES_MAX = 2000

/** The content of a submission; absent texts are undefined. */
export type SubmissionContent = {
  thinking: string | undefined
  output: string | undefined
  actions: readonly string[]
  context: Readonly<Record<string, unknown>>
  taskContext: string | undefined
  extractionMethod: ExtractionMethod | undefined
  /** The provider did not show all of the thinking. */
  isThinkingWithheld?: boolean | undefined
  /** The calls of the turn were released undecided, because the gateway failed. */
  isUngoverned?: boolean | undefined
  /** Analysed by the rules even if a model is configured. */
  isByRules?: boolean | undefined
}

/** The rules an agent's submissions are checked against: its card and its organisation's layers. */
type Basis = {
  cardId: string
  card: AlignmentCard
  values: readonly CheckedValue[]
  cardHash: string
  valuesHash: string
  byRules: (facts: RuleFacts) => Analysis
}

type ExaminedSubmission = {
  examination: Examination
  /** The window that the analyser was shown; undefined if it was shown none. */
  windowShown: WindowContext | undefined
}

export type AnalysedSubmission = ExaminedSubmission & {
  traits: TextTraits
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
    /** The card in force, for checkpoints that are not analysed here. */
    basisOf: async (agent: CardVersion): Promise<AnalysedSubmission['basis']> => basisOf(agent),

    async analyse(
      agent: CardVersion,
      submission: SubmissionContent,
      loadWindow: () => Promise<WindowContext>,
    ): Promise<AnalysedSubmission> {
      const basis = await basisOf(agent)
      const { examination, windowShown } = await examine(deps, { submission, basis, loadWindow })
      const traits = isSynthetic(examination) ? NO_TEXT : await traitsOf(submission.thinking)
      return { examination, windowShown, basis, traits }
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
    submission,
    basis,
    loadWindow,
  }: { submission: SubmissionContent; basis: Basis; loadWindow: () => Promise<WindowContext> },
): Promise<ExaminedSubmission> {
  if (!hasEnoughEvidence(textsOf(submission))) {
    const examination = unanalysed(submission, 'below_evidence_threshold', 'clear')
    return { examination, windowShown: undefined }
  }
  const texts = excerptsOf(submission)
  if (deps.remote === undefined || submission.isByRules === true) {
    return byRules(deps, { submission, basis, texts })
  }
  return byModel(deps, deps.remote, { submission, basis, texts }, await loadWindow())
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
type Case = { submission: SubmissionContent; basis: Basis; texts: Texts }

/** Omits absent texts: the protocol's types take no undefined members. */
function textsOf({ thinking, output }: SubmissionContent) {
  return {
    ...(thinking === undefined ? {} : { thinking }),
    ...(output === undefined ? {} : { output }),
  }
}

function excerptsOf({ thinking, output }: SubmissionContent): Texts {
  return {
    thinking: thinking === undefined ? undefined : truncateThinking(thinking),
    output: output === undefined ? undefined : truncateOutput(output),
  }
}

function byRules(deps: AnalysisDeps, { submission, basis, texts }: Case): ExaminedSubmission {
  const startedAt = deps.clock.now()
  const analysis = basis.byRules({
    thinking: texts.thinking?.text ?? '',
    output: texts.output?.text ?? '',
    actions: submission.actions,
    context: submission.context,
  })
  const durationMs = deps.clock.nowMs() - startedAt.getTime()
  const by = { analyzer: 'rules', analysisModel: RULES_MODEL, durationMs } as const
  return { examination: conclude(analysis, { submission, texts }, by), windowShown: undefined }
}

async function byModel(
  deps: AnalysisDeps,
  remote: { model: string; analyse: RemoteAnalyser },
  target: Case,
  window: WindowContext,
): Promise<ExaminedSubmission> {
  const { submission, basis, texts } = target
  const startedAt = deps.clock.now()
  try {
    const judged = await remote.analyse({
      card: basis.card,
      values: basis.values,
      windowContext: window,
      thinking: texts.thinking?.text,
      output: texts.output?.text,
      actions: submission.actions,
      context: submission.context,
      taskContext: submission.taskContext,
      ...scopeOf(textsOf(submission)),
    })
    const durationMs = deps.clock.nowMs() - startedAt.getTime()
    const by = { analyzer: 'llm', analysisModel: remote.model, durationMs } as const
    const named = { ...judged, concerns: judged.concerns.map((one) => withSubject(one, target)) }
    return { examination: conclude(named, target, by), windowShown: window }
  } catch (err) {
    deps.onFailure(err)
    const durationMs = deps.clock.nowMs() - startedAt.getTime()
    return { examination: { ...afterFailure(deps, target), durationMs }, windowShown: undefined }
  }
}

/** A model names no subject itself: its words are text, and only names are stored. */
function withSubject(concern: Concern, { submission, basis }: Case): Concern {
  const { actions, context } = submission
  return { ...concern, subject: subjectAmong(concern, { card: basis.card, actions, context }) }
}

/** The operator chooses the result of a failed analysis; the checkpoint records that it failed. */
function afterFailure(deps: AnalysisDeps, target: Case): Examination {
  if (deps.failurePolicy === 'fail_open') {
    return unanalysed(target.submission, 'analysis_failed', 'clear')
  }
  if (deps.failurePolicy === 'fail_closed') {
    return unanalysed(target.submission, 'analysis_failed', 'boundary_violation')
  }
  const { examination } = byRules(deps, target)
  const { conscienceContext } = examination
  const considerations = [...conscienceContext.considerations, 'llm_unavailable']
  return { ...examination, conscienceContext: { ...conscienceContext, considerations } }
}

type JudgedBy = Pick<Examination, 'analyzer' | 'analysisModel' | 'durationMs'>

function conclude(
  judged: JudgedAnalysis,
  { submission, texts }: Pick<Case, 'submission' | 'texts'>,
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
    confidence: extractionOf(textsOf(submission), submission.extractionMethod).confidence,
    details: detailsOf(submission, texts),
    syntheticReason: null,
    crossValidationWarnings: differs
      ? [`analyser said ${judged.verdict}, concerns give ${verdict}`]
      : [],
  }
}

function detailsOf(submission: SubmissionContent, { thinking, output }: Texts): AnalysisDetails {
  return {
    analysis_scope: scopeOf(textsOf(submission)).scope,
    thinking_tokens_original: thinking?.tokensOriginal ?? 0,
    thinking_tokens_analyzed: thinking?.tokensAnalyzed ?? 0,
    truncated: thinking?.truncated ?? false,
    ...marksOf(submission),
    ...(output === undefined
      ? {}
      : {
          output_tokens_original: output.tokensOriginal,
          output_tokens_analyzed: output.tokensAnalyzed,
          output_truncated: output.truncated,
        }),
  }
}

function marksOf({ isThinkingWithheld, isUngoverned }: SubmissionContent) {
  return {
    ...(isThinkingWithheld === true ? { thinking_withheld: true as const } : {}),
    ...(isUngoverned === true ? { ungoverned: true as const } : {}),
  }
}

const NOT_ANALYSED: Record<SyntheticReason, string> = {
  below_evidence_threshold: 'Not analysed: less than 100 tokens of evidence.',
  analysis_failed: 'Not analysed: the analyser gave no usable answer.',
}

function unanalysed(
  submission: SubmissionContent,
  reason: SyntheticReason,
  verdict: Verdict,
): Examination {
  const { thinking = '', output } = submission
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
    confidence: extractionOf(textsOf(submission), submission.extractionMethod).confidence,
    details: {
      analysis_scope: scopeOf(textsOf(submission)).scope,
      thinking_tokens_original: tokensOf(thinking),
      thinking_tokens_analyzed: 0,
      truncated: false,
      ...marksOf(submission),
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
