import {
  type Analysis,
  type CheckedValue,
  checkedValues,
  createRuleAnalyser,
  deriveVerdict,
  type Excerpt,
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
import type {
  AnalysisDetails,
  Examination,
  SyntheticReason,
  WindowContext,
} from '@touchstone/protocol/evidence'
import { valuesHash } from '@touchstone/protocol/evidence'
import { createCache } from '../../../kernel/cache.ts'
import { type Clock, HOUR_MS } from '../../../kernel/clock.ts'
import type { Cards, HeldCard, RemoteAnalyser } from '../intake/ports.ts'
import type { Decision } from '../intake/submission.ts'
import type { Judged } from './analyser.ts'

const RULES_MODEL = 'rules-v1'

/** Cards of this many agents stay compiled. */
const BASES_MAX = 2000

/** What an agent's decisions are held against: its card, and what its organisation adds to it. */
export type Basis = {
  cardId: string
  card: AlignmentCard
  values: readonly CheckedValue[]
  cardHash: string
  valuesHash: string
  byRules: (facts: RuleFacts) => Analysis
}

export type AnalysedDecision = {
  examination: Examination
  /** The window an analyser was really shown; undefined when it looked at none. */
  windowShown: WindowContext | undefined
}

export type AnalystDeps = {
  clock: Clock
  cards: Cards
  /** Present when ANALYZER=llm; else the rules judge. */
  remote: { model: string; analyse: RemoteAnalyser } | undefined
  failurePolicy: 'fail_open' | 'fail_closed' | 'rules'
  onFailure(err: unknown): void
}

export type Analyst = ReturnType<typeof createAnalyst>

/** The pipeline of 01 §4.3 from the texts to a verdict. Stores nothing. */
export function createAnalyst(deps: AnalystDeps) {
  const limits = { clock: deps.clock, entriesMax: BASES_MAX, ttlMs: HOUR_MS }
  const bases = createCache<Promise<{ basis: Basis; layerStamp: string }>>(limits)
  const make = async (held: HeldCard) => {
    const found = await deps.cards.forAnalysis(held)
    return { basis: toBasis(found), layerStamp: found.layerStamp }
  }
  return {
    /** Versions never change, so what was made of one stays right under the same layer. */
    async basisOf(orgId: string, agent: { agentId: string; cardVersion: number }): Promise<Basis> {
      const { agentId, cardVersion: version } = agent
      const held = { orgId, agentId, version }
      const stamp = await deps.cards.layerStamp(held)
      const key = `${agentId} ${version} ${stamp}`
      const known = bases.get(key) ?? make(held)
      bases.set(key, known)
      try {
        const { basis, layerStamp } = await known
        // The layer changed in between. It may change back, and its name then means the other one.
        if (layerStamp !== stamp) bases.delete(key)
        return basis
      } catch (err) {
        bases.delete(key)
        throw err
      }
    },

    async examine(
      decision: Decision,
      basis: Basis,
      loadWindow: () => Promise<WindowContext>,
    ): Promise<AnalysedDecision> {
      if (!hasEnoughEvidence(textsOf(decision))) {
        const examination = unanalysed(decision, 'below_evidence_threshold', 'clear')
        return { examination, windowShown: undefined }
      }
      const texts = excerptsOf(decision)
      if (deps.remote === undefined) return byRules(deps, { decision, basis, texts })
      return byModel(deps, deps.remote, { decision, basis, texts }, await loadWindow())
    },
  }
}

function toBasis(held: Awaited<ReturnType<Cards['forAnalysis']>>): Basis {
  const values = checkedValues(held.values)
  return {
    cardId: held.cardId,
    card: held.card,
    values,
    cardHash: hashCanonical(held.card),
    valuesHash: valuesHash(held.values),
    byRules: createRuleAnalyser({ card: held.card, conscienceValues: values }),
  }
}

type Texts = { thinking: Excerpt | undefined; output: Excerpt | undefined }
type Case = { decision: Decision; basis: Basis; texts: Texts }

/** Absent ones are left out, as the core's types want it. */
function textsOf({ thinking, output }: Decision) {
  return {
    ...(thinking === undefined ? {} : { thinking }),
    ...(output === undefined ? {} : { output }),
  }
}

function excerptsOf({ thinking, output }: Decision): Texts {
  return {
    thinking: thinking === undefined ? undefined : truncateThinking(thinking),
    output: output === undefined ? undefined : truncateOutput(output),
  }
}

function byRules(deps: AnalystDeps, { decision, basis, texts }: Case): AnalysedDecision {
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
  deps: AnalystDeps,
  remote: { model: string; analyse: RemoteAnalyser },
  held: Case,
  window: WindowContext,
): Promise<AnalysedDecision> {
  const { decision, basis, texts } = held
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
    return { examination: conclude(judged, held, by), windowShown: window }
  } catch (err) {
    deps.onFailure(err)
    const durationMs = deps.clock.nowMs() - startedAt.getTime()
    return { examination: { ...afterFailure(deps, held), durationMs }, windowShown: undefined }
  }
}

/** What a failed analysis becomes is the operator's choice, and the result says so. */
function afterFailure(deps: AnalystDeps, held: Case): Examination {
  if (deps.failurePolicy === 'fail_open') {
    return unanalysed(held.decision, 'analysis_failed', 'clear')
  }
  if (deps.failurePolicy === 'fail_closed') {
    return unanalysed(held.decision, 'analysis_failed', 'boundary_violation')
  }
  const { examination } = byRules(deps, held)
  const { conscienceContext } = examination
  const considerations = [...conscienceContext.considerations, 'llm_unavailable']
  return { ...examination, conscienceContext: { ...conscienceContext, considerations } }
}

type JudgedBy = Pick<Examination, 'analyzer' | 'analysisModel' | 'durationMs'>

function conclude(
  judged: Judged,
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

function detailsOf(decision: Decision, { thinking, output }: Texts): AnalysisDetails {
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

function unanalysed(decision: Decision, reason: SyntheticReason, verdict: Verdict): Examination {
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
