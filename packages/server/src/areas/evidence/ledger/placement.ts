import { type LinkedTrace, violationType } from '@touchstone/protocol/analysis'
import { hashCanonical } from '@touchstone/protocol/crypto'
import {
  analysedInHour,
  type Checkpoint,
  type Examination,
  type Flag,
  gamingFlagsOf,
  isExcluded,
  isSynthetic,
  provenanceOf,
  type RecentHashes,
  type RecordSource,
  summariseWindow,
  TEMPLATE_VERSION,
  type TextTraits,
  thinFlagsOf,
  WINDOW_SIZE_MAX,
  type WindowContext,
  type WindowEntry,
  type WindowSummary,
  windowAfter,
  windowBefore,
  windowContext,
  windowPosition,
  withHash,
} from '@touchstone/protocol/evidence'
import { countIn, type Head } from './head.ts'
import { advance, type DriftStep, type Session } from './session.ts'

/** An analysed submission that has no place in the agent's history yet. */
export type AnalysedSubmission = {
  submission: {
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
    /** Sorted. */
    decisionIds: readonly string[]
  }
  checkpointId: string
  examination: Examination
  basis: { cardId: string; cardHash: string; valuesHash: string }
  agent: { provider: string | null; model: string | null }
  trace: LinkedTrace | undefined
  source: RecordSource
  /** The window that the analyser was shown; undefined if it was shown none. */
  windowShown: WindowContext | undefined
  traits: TextTraits
  /** The id of an API key, `user` for a session, `service` for a finding of the service. */
  sentBy: string
}

/** The state of agent and session that a new checkpoint changes. */
export type Surroundings = {
  head: Head
  session: Session
  window: readonly WindowEntry[]
  /** The hashes of the agent's last texts. */
  recent: RecentHashes
}

export type Placed = {
  checkpoint: Checkpoint
  sentBy: string
  drift: DriftStep
  summary: WindowSummary
  after: Surroundings
}

export type PlacementRules = { antiGaming: 'exclude' | 'record'; now: Date }

/**
 * Gives a submission its place in the history: window, flags and counts. `twins` are the times of the
 * agent's analysed checkpoints with the same texts.
 */
export function place(
  analysed: AnalysedSubmission,
  around: Surroundings,
  twins: readonly Date[],
  rules: PlacementRules,
): Placed {
  const { submission, examination } = analysed
  const synthetic = isSynthetic(examination)
  const { timestamp } = submission
  const before = windowBefore(around.window, timestamp)
  const flags = synthetic ? [] : flagsOf(analysed, around, twins, rules.now)
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
    sentBy: analysed.sentBy,
    drift,
    summary: summariseWindow(window),
    after: {
      head: { ...head, length: head.length + 1 },
      session,
      window: synthetic ? around.window : [...around.window, entry].slice(-WINDOW_SIZE_MAX),
      recent: synthetic ? around.recent : recentAfter(around.recent, analysed.traits),
    },
  }
}

function flagsOf(
  { submission: { timestamp }, traits }: AnalysedSubmission,
  { head, recent }: Surroundings,
  twins: readonly Date[],
  now: Date,
): Flag[] {
  const earlierInHour = analysedInHour(head.hour, now)
  return [
    ...gamingFlagsOf({ timestamp, previous: head.recentAt, twins }),
    ...thinFlagsOf({ traits, recent, earlierInHour }),
  ]
}

function recentAfter(recent: RecentHashes, { simHash }: TextTraits): RecentHashes {
  return simHash === undefined ? recent : withHash(recent, simHash)
}

function entryOf({ checkpointId, submission, examination }: AnalysedSubmission): WindowEntry {
  const { verdict, reasoningSummary } = examination
  return { checkpointId, timestamp: submission.timestamp, verdict, reasoningSummary }
}

type Found = {
  now: Date
  windowPosition: Checkpoint['windowPosition']
  contextHash: string
  flags: readonly Flag[]
  excluded: boolean
}

function toCheckpoint(analysed: AnalysedSubmission, found: Found): Checkpoint {
  const { submission, examination, basis, agent, trace } = analysed
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
    agentId: submission.agentId,
    sessionId: submission.sessionId,
    cardId: basis.cardId,
    timestamp: submission.timestamp,
    receivedAt: found.now,
    provenance: provenanceOf({
      source: analysed.source,
      agentId: submission.agentId,
      namesDecisions: submission.decisionIds.length > 0,
      timestamp: submission.timestamp,
      receivedAt: found.now,
    }),
    decisionIds: submission.decisionIds,
    recordVersion: '1.1.0',
    provider: submission.provider ?? agent.provider ?? 'unknown',
    model: submission.model ?? agent.model ?? 'unknown',
    violationType: violationType(examination.verdict, examination.concerns, trace),
    windowPosition: found.windowPosition,
    flags: found.flags,
    excluded: found.excluded,
    hashes: {
      thinking: submission.thinkingHash,
      output: submission.outputHash,
      card: basis.cardHash,
      values: basis.valuesHash,
      context: found.contextHash,
    },
    templateVersion: TEMPLATE_VERSION,
    linkedTraceId: submission.traceId ?? null,
    reclassification: null,
  }
}
