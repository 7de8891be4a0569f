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
import type { Decision } from '../intake/submission.ts'
import { countIn, type Head } from './head.ts'
import { advance, type DriftStep, type Session } from './session.ts'

/** An examined decision that waits for its place in the agent's history. */
export type Examined = {
  decision: Decision
  checkpointId: string
  examination: Examination
  basis: { cardId: string; cardHash: string; valuesHash: string }
  agent: { provider: string | null; model: string | null }
  trace: LinkedTrace | undefined
  /** The window an analyser was really shown; undefined when it looked at none. */
  windowShown: WindowContext | undefined
}

/** Everything about the agent and session that a new checkpoint changes. */
export type Surroundings = { head: Head; session: Session; window: readonly WindowEntry[] }

export type Placed = {
  checkpoint: Checkpoint
  drift: DriftStep
  summary: WindowSummary
  after: Surroundings
}

export type PlacementRules = { antiGaming: 'exclude' | 'record'; now: Date }

/**
 * What a checkpoint is at its place: window, flags, counts. `twins`: times of analysed checkpoints
 * of the agent with the same texts.
 */
export function place(
  examined: Examined,
  around: Surroundings,
  twins: readonly Date[],
  rules: PlacementRules,
): Placed {
  const { decision, examination } = examined
  const synthetic = isSynthetic(examination)
  const { timestamp } = decision
  const before = windowBefore(around.window, timestamp)
  const flags = synthetic ? [] : flagsOf({ timestamp, previous: around.head.recentAt, twins })
  const excluded = isExcluded(flags, examination.verdict, rules.antiGaming)
  const entry = entryOf(examined)
  const window = synthetic ? before : windowAfter(around.window, entry)
  const checkpoint = toCheckpoint(examined, {
    now: rules.now,
    windowPosition: synthetic ? null : windowPosition(window),
    // An analyser that saw no window is held against the true one, which anybody can rebuild.
    contextHash: hashCanonical(examined.windowShown ?? windowContext(before)),
    flags,
    excluded,
  })
  const arrived = {
    checkpointId: examined.checkpointId,
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

function entryOf({ checkpointId, decision, examination }: Examined): WindowEntry {
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

function toCheckpoint(examined: Examined, found: Found): Checkpoint {
  const { decision, examination, basis, agent, trace } = examined
  // Written out: a spread of so many members is several times slower, and this is asked often.
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
    checkpointId: examined.checkpointId,
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
