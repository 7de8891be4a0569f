import { type LinkedTrace, violationType } from '@touchstone/protocol/analysis'
import { hashCanonical } from '@touchstone/protocol/crypto'
import {
  type Checkpoint,
  type Examination,
  type Flag,
  flagsOf,
  isExcluded,
  isSynthetic,
  summariseWindow,
  TEMPLATE_VERSION,
  WINDOW_SIZE_MAX,
  type WindowContext,
  type WindowEntry,
  type WindowSummary,
  windowAfter,
  windowBefore,
  windowContext,
  windowPosition,
} from '@touchstone/protocol/evidence'
import { countIn, type Head } from './head.ts'
import { advance, type DriftStep, type Session } from './session.ts'

/** An analysed decision that has no place in the agent's history yet. */
export type AnalysedDecision = {
  decision: {
    agentId: string
    sessionId: string
    /** The id that the sender chose, if any. */
    checkpointId: string | undefined
    timestamp: Date
    provider: string | undefined
    model: string | undefined
    thinkingHash: string
    outputHash: string | null
    traceId: string | undefined
  }
  checkpointId: string
  examination: Examination
  basis: { cardId: string; cardHash: string; valuesHash: string }
  agent: { provider: string | null; model: string | null }
  trace: LinkedTrace | undefined
  /** The window that the analyser was shown; undefined if it was shown none. */
  windowShown: WindowContext | undefined
}

/** The state of agent and session that a new checkpoint changes. */
export type Surroundings = { head: Head; session: Session; window: readonly WindowEntry[] }

export type Placed = {
  checkpoint: Checkpoint
  drift: DriftStep
  summary: WindowSummary
  after: Surroundings
}

export type PlacementRules = { antiGaming: 'exclude' | 'record'; now: Date }

/**
 * Gives a decision its place in the history: window, flags and counts. `twins` are the times of the
 * agent's analysed checkpoints with the same texts.
 */
export function place(
  analysed: AnalysedDecision,
  around: Surroundings,
  twins: readonly Date[],
  rules: PlacementRules,
): Placed {
  const { decision, examination } = analysed
  const synthetic = isSynthetic(examination)
  const { timestamp } = decision
  const before = windowBefore(around.window, timestamp)
  const flags = synthetic ? [] : flagsOf({ timestamp, previous: around.head.recentAt, twins })
  const excluded = isExcluded(flags, examination.verdict, rules.antiGaming)
  const entry = entryOf(analysed)
  const window = synthetic ? before : windowAfter(around.window, entry)
  const checkpoint = toCheckpoint(analysed, {
    now: rules.now,
    windowPosition: synthetic ? null : windowPosition(window),
    // If the analyser was shown no window, commit to the true one, which anyone can rebuild.
    contextHash: hashCanonical(analysed.windowShown ?? windowContext(before)),
    flags,
    excluded,
  })
  const arrived = {
    checkpointId: analysed.checkpointId,
    position: around.head.length,
    timestamp,
    verdict: examination.verdict,
    synthetic,
    excluded,
    categories: examination.concerns.map((concern) => concern.category),
  }
  const { session, drift } = advance(around.session, arrived)
  const sessions = { before: around.session, after: session }
  const head = countIn(around.head, arrived, sessions, rules.now)
  return {
    checkpoint,
    drift,
    summary: summariseWindow(window),
    after: {
      head: { ...head, length: head.length + 1 },
      session,
      window: synthetic ? around.window : [...around.window, entry].slice(-WINDOW_SIZE_MAX),
    },
  }
}

function entryOf({ checkpointId, decision, examination }: AnalysedDecision): WindowEntry {
  const { verdict, reasoningSummary } = examination
  return { checkpointId, timestamp: decision.timestamp, verdict, reasoningSummary }
}

type Found = {
  now: Date
  windowPosition: Checkpoint['windowPosition']
  contextHash: string
  flags: readonly Flag[]
  excluded: boolean
}

function toCheckpoint(analysed: AnalysedDecision, found: Found): Checkpoint {
  const { decision, examination, basis, agent, trace } = analysed
  // Written out because spreading this many members is several times slower on a hot path.
  return {
    verdict: examination.verdict,
    concerns: examination.concerns,
    reasoningSummary: examination.reasoningSummary,
    conscienceContext: examination.conscienceContext,
    analyzer: examination.analyzer,
    analysisModel: examination.analysisModel,
    durationMs: examination.durationMs,
    confidence: examination.confidence,
    details: examination.details,
    syntheticReason: examination.syntheticReason,
    crossValidationWarnings: examination.crossValidationWarnings,
    checkpointId: analysed.checkpointId,
    agentId: decision.agentId,
    sessionId: decision.sessionId,
    cardId: basis.cardId,
    timestamp: decision.timestamp,
    createdAt: found.now,
    provider: decision.provider ?? agent.provider ?? 'unknown',
    model: decision.model ?? agent.model ?? 'unknown',
    violationType: violationType(examination.verdict, examination.concerns, trace),
    windowPosition: found.windowPosition,
    flags: found.flags,
    excluded: found.excluded,
    hashes: {
      thinking: decision.thinkingHash,
      output: decision.outputHash,
      card: basis.cardHash,
      values: basis.valuesHash,
      context: found.contextHash,
    },
    templateVersion: TEMPLATE_VERSION,
    linkedTraceId: decision.traceId ?? null,
    reclassification: null,
  }
}
