import type { Actor, Audit } from '../../../audit.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Page, PageRequest } from '../../../kernel/db.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import type { Events } from '../../../kernel/events.ts'
import { type AgentId, newId } from '../../../kernel/ids.ts'
import { Problem } from '../../../kernel/problem.ts'
import { type Alert, decideAlert, type Kind, statusOf } from './alert.ts'
import { detectedEvent, resolvedEvent } from './drift-event.ts'
import { gradeStreak, type IntegrityStreak } from './integrity-drift.ts'
import type { Agents, Sessions, Traces } from './ports.ts'
import { type AlertFilter, createAlertStore } from './store.ts'
import {
  type Asking,
  type DriftTrace,
  describeStreak,
  type Judged,
  surveyTraces,
  TRACES_MAX,
  trailBack,
} from './trace-drift.ts'

export type DriftDeps = {
  db: Db
  clock: Clock
  audit: Audit
  events: Events
  agents: Agents
  traces: Traces
  sessions: Sessions
}

/** The organisation whose agents are spoken of. */
export type Org = { orgId: string; accountId: string }

/** Checkpoints of a session in a row that were not clear, told anew with each further one. */
export type ObservedStreak = IntegrityStreak & {
  agentId: string
  sessionId: string
  cardId: string
  /** The latest 500, the oldest first. */
  checkpointIds: readonly string[]
  /** The first checkpoint of the streak, which tells it from others. */
  firstId: string
}

export type FollowedTrace = {
  agentId: string
  cardId: string
  declaredValues: readonly string[]
}

/** What a look for drift saw and led to. */
export type TraceLook = { tracesAnalyzed: number; alertsOpened: number }

export type DriftService = ReturnType<typeof createDriftService>

export function createDriftService(deps: DriftDeps) {
  const keeping = keepingAlerts(deps)
  return {
    ...followingSessions(keeping),
    ...followingTraces(deps, keeping),
    ...answering(deps, keeping),
    erase: (tx: Db, agentId: AgentId): Promise<void> => createAlertStore(tx).deleteOfAgent(agentId),
  }
}

/** What follows an open alert's streak; all else stays as it was announced (01 §5). */
type Progress = Pick<Alert, 'similarity' | 'sustained' | 'evidenceIds' | 'baselineIds'>

/** What stands in an alert but for its progress, its name, its time and its end. */
type Announced = Pick<
  Alert,
  'agentId' | 'cardId' | 'kind' | 'sessionId' | 'severity' | 'direction' | 'streakId'
>

const PREFIX_OF: Record<Kind, string> = { integrity: 'ida', trace: 'da' }

type Keeping = ReturnType<typeof keepingAlerts>

function keepingAlerts(deps: DriftDeps) {
  return {
    async open(tx: Db, org: Org, drift: Announced & Progress): Promise<void> {
      const alert: Alert = {
        ...drift,
        alertId: newId(PREFIX_OF[drift.kind]),
        followedIds: [],
        orgId: org.orgId,
        detectedAt: deps.clock.now(),
        resolution: null,
        resolvedAt: null,
        acknowledgedBy: null,
      }
      await createAlertStore(tx).insert(alert)
      await deps.events.emit(tx, { ...org, ...detectedEvent(alert) })
    },

    /**
     * `known`: the alerts this streak has. True when it has none and is to be announced; one that is
     * open follows the streak unsaid.
     */
    async isNew(tx: Db, known: readonly Alert[], progress: Progress): Promise<boolean> {
      const decision = decideAlert(known)
      if (decision.kind === 'update') {
        await createAlertStore(tx).update({ ...decision.alert, ...progress })
      }
      return decision.kind === 'open'
    },

    /** `acknowledgedBy` is null when it recovered by itself. */
    async resolve(tx: Db, org: Org, alert: Alert, acknowledgedBy: string | null): Promise<Alert> {
      const resolved = {
        ...alert,
        resolution: acknowledgedBy === null ? ('recovered' as const) : ('acknowledged' as const),
        resolvedAt: deps.clock.now(),
        acknowledgedBy,
      }
      await createAlertStore(tx).update(resolved)
      await deps.events.emit(tx, { ...org, ...resolvedEvent(resolved) })
      return resolved
    },
  }
}

/** Told by checkpoints as they are stored, one after the other for each agent. */
function followingSessions(keeping: Keeping) {
  return {
    async observeStreak(tx: Db, org: Org, streak: ObservedStreak): Promise<void> {
      const grade = gradeStreak(streak)
      if (grade === undefined) return
      const { agentId, sessionId, cardId, sustained, similarity, firstId } = streak
      const progress = { similarity, sustained, evidenceIds: streak.checkpointIds, baselineIds: [] }
      const known = await createAlertStore(tx).lockOfStreak(agentId, firstId)
      if (!(await keeping.isNew(tx, known, progress))) return
      const announced = { agentId, sessionId, cardId, ...grade, streakId: firstId }
      await keeping.open(tx, org, { ...announced, ...progress, kind: 'integrity' })
    },

    /** The session was clear often enough in a row. */
    async recoverSession(
      tx: Db,
      org: Org,
      session: { agentId: string; sessionId: string },
    ): Promise<void> {
      const alerts = await createAlertStore(tx).lockOpen({ ...session, kind: 'integrity' })
      for (const alert of alerts) await keeping.resolve(tx, org, alert, null)
    },

    hasOpen: (tx: Db, agentId: string, sessionId: string): Promise<boolean> =>
      createAlertStore(tx).hasOpen({ agentId, sessionId, kind: 'integrity' }),
  }
}

function followingTraces(deps: DriftDeps, keeping: Keeping) {
  return {
    /** After a trace of that card was stored, in its transaction. */
    async followTrace(tx: Db, org: Org, followed: FollowedTrace): Promise<TraceLook> {
      const { agentId, cardId } = followed
      const store = createAlertStore(tx)
      // So many come at once that the next one will see this one too.
      if (!(await store.lockCard(agentId, cardId))) return { tracesAnalyzed: 0, alertsOpened: 0 }
      const ids = await deps.traces.listLatestIds(tx, { agentId, cardId, countMax: TRACES_MAX })
      const opened = await judgeTraces({ deps, keeping, tx, org, followed, ids })
      return { tracesAnalyzed: ids.length, alertsOpened: opened ? 1 : 0 }
    },
  }
}

type TraceJudging = {
  deps: DriftDeps
  keeping: Keeping
  tx: Db
  org: Org
  followed: FollowedTrace
  ids: readonly string[]
}

/** True when an alert opened. */
async function judgeTraces(judging: TraceJudging): Promise<boolean> {
  const { deps, keeping, tx, org, followed, ids } = judging
  const { agentId, cardId } = followed
  const store = createAlertStore(tx)
  const read = (wanted: readonly string[]) => readTraces(deps.traces, tx, agentId, wanted)
  const survey = await answer(surveyTraces(ids), read)
  if (survey?.state === 'calm') {
    const alerts = await store.lockOpen({ agentId, cardId, kind: 'trace' })
    for (const alert of alerts) await keeping.resolve(tx, org, alert, null)
  }
  if (survey?.state !== 'strange') return false
  const sharing = await store.lockSharing(agentId, cardId, ids)
  const evidenceIds = await answer(trailBack(ids, survey, sharing.map(judgedBy)), read)
  if (evidenceIds === undefined) return false
  const { similarity, baselineIds } = survey
  const progress = { similarity, sustained: evidenceIds.length, evidenceIds, baselineIds }
  const streak = new Set(evidenceIds)
  const known = sharing.filter((alert) => alert.evidenceIds.some((id) => streak.has(id)))
  if (!(await keeping.isNew(tx, known, progress))) {
    const [latest] = known
    if (latest !== undefined && known.every((alert) => statusOf(alert) === 'resolved')) {
      await store.update({ ...latest, baselineIds, followedIds: evidenceIds })
    }
    return false
  }
  const traces = await read([...baselineIds, ...evidenceIds])
  const found = traces && {
    baseline: traces.slice(0, baselineIds.length),
    streak: traces.slice(baselineIds.length),
    declared: followed.declaredValues,
  }
  const drift = found && describeStreak(found)
  if (drift === undefined) return false
  const announced = { agentId, cardId, ...drift, streakId: null }
  await keeping.open(tx, org, { ...announced, ...progress, kind: 'trace' })
  await deps.sessions.noteTraceDrift(tx, { agentId, sessionId: drift.sessionId })
  return true
}

function judgedBy({ baselineIds, evidenceIds, followedIds }: Alert): Judged {
  return { baselineIds, evidenceIds: followedIds.length > 0 ? followedIds : evidenceIds }
}

type Reading = (ids: readonly string[]) => Promise<readonly DriftTrace[] | undefined>

/** Undefined when retention has just taken some away; the next trace is compared with the rest. */
async function readTraces(
  traces: Traces,
  tx: Db,
  agentId: string,
  ids: readonly string[],
): Promise<readonly DriftTrace[] | undefined> {
  const found = await traces.listBehaviour(tx, agentId, ids)
  return found.length < ids.length ? undefined : found
}

/** Reads what is asked for, step by step. */
async function answer<Answer>(asking: Asking<Answer>, read: Reading): Promise<Answer | undefined> {
  let step = asking.next()
  while (step.done !== true) {
    const found = await read(step.value)
    if (found === undefined) return undefined
    step = asking.next(found)
  }
  return step.value
}

function answering(deps: DriftDeps, keeping: Keeping) {
  return {
    list: (agentId: string, filter: AlertFilter, page: PageRequest): Promise<Page<Alert>> =>
      createAlertStore(deps.db).list(agentId, filter, page),

    /** Whose it is decides the caller's side, which alone knows who asks. */
    find: (alertId: string): Promise<Alert | undefined> => createAlertStore(deps.db).find(alertId),

    /** Somebody has seen it; a key counts as its creator (04 §2.2). */
    async acknowledge(org: Org, found: Alert, actor: Actor): Promise<Alert> {
      return transact(deps.db, async (tx) => {
        await deps.agents.assertOpen(tx, found.agentId)
        const alert = await createAlertStore(tx).lock(found.alertId)
        if (alert === undefined) throw noAlert()
        if (statusOf(alert) === 'resolved') {
          throw new Problem('conflict', 'The alert is resolved already.')
        }
        const resolved = await keeping.resolve(tx, org, alert, actor.userId)
        await deps.audit.record(tx, {
          orgId: org.orgId,
          action: 'drift.acknowledged',
          actor,
          target: { type: 'drift_alert', id: alert.alertId },
          changes: { status: { from: statusOf(alert), to: statusOf(resolved) } },
        })
        return resolved
      })
    },
  }
}

export function noAlert(): Problem {
  return new Problem('not_found', 'No such alert.')
}
