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
  type DriftTrace,
  describeStreak,
  type Judged,
  surveyTraces,
  TRACES_MAX,
  type TraceReads,
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

/** The organisation that owns the agent. */
export type Org = { orgId: string; accountId: string }

/** A session's streak of non-clear checkpoints, reported again whenever it grows. */
export type ObservedStreak = IntegrityStreak & {
  agentId: string
  sessionId: string
  cardId: string
  /** The latest 500, oldest first. */
  checkpointIds: readonly string[]
  /** The first checkpoint of the streak, which identifies it. */
  firstId: string
}

export type FollowedTrace = {
  agentId: string
  cardId: string
  declaredValues: readonly string[]
}

/** The result of a check for trace drift. */
export type TraceCheck = { tracesAnalyzed: number; alertsOpened: number }

export type DriftService = ReturnType<typeof createDriftService>

export function createDriftService(deps: DriftDeps) {
  const alerts = createAlerts(deps)
  const sessions = createSessionDrift(alerts)
  const traces = createTraceDrift(deps, alerts)
  const answers = createAnswers(deps, alerts)
  return {
    observeStreak: sessions.observeStreak,
    recoverSession: sessions.recoverSession,
    hasOpen: sessions.hasOpen,

    followTrace: traces.followTrace,

    list: answers.list,
    countOpen: answers.countOpen,
    find: answers.find,
    acknowledge: answers.acknowledge,
    acknowledgeAll: answers.acknowledgeAll,

    erase: (tx: Db, agentId: AgentId): Promise<void> => createAlertStore(tx).deleteOfAgent(agentId),
  }
}

/** The fields of an open alert that follow its streak; the rest stays as announced (spec: evidence §5). */
type Progress = Pick<Alert, 'similarity' | 'sustained' | 'evidenceIds' | 'baselineIds'>

/** The fields that describe the streak when the alert opens. */
type Announced = Pick<
  Alert,
  'agentId' | 'cardId' | 'kind' | 'sessionId' | 'severity' | 'direction' | 'streakId'
>

const PREFIX_OF: Record<Kind, string> = { integrity: 'ida', trace: 'da' }

type Alerts = ReturnType<typeof createAlerts>

function createAlerts(deps: DriftDeps) {
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
     * True if the streak has no alert yet. `known` are its alerts; an open one is updated without an
     * event.
     */
    async isNew(tx: Db, known: readonly Alert[], progress: Progress): Promise<boolean> {
      const decision = decideAlert(known)
      if (decision.kind === 'update') {
        await createAlertStore(tx).update({ ...decision.alert, ...progress })
      }
      return decision.kind === 'open'
    },

    /** `acknowledgedBy` is null if the streak ended by itself. */
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

/** Called by intake in its transaction, under the lock of the agent's chain. */
function createSessionDrift(alerts: Alerts) {
  return {
    async observeStreak(tx: Db, org: Org, streak: ObservedStreak): Promise<void> {
      const grade = gradeStreak(streak)
      if (grade === undefined) return
      const { agentId, sessionId, cardId, sustained, similarity, firstId } = streak
      const progress = { similarity, sustained, evidenceIds: streak.checkpointIds, baselineIds: [] }
      const known = await createAlertStore(tx).lockOfStreak(agentId, firstId)
      if (!(await alerts.isNew(tx, known, progress))) return
      const announced = { agentId, sessionId, cardId, ...grade, streakId: firstId }
      await alerts.open(tx, org, { ...announced, ...progress, kind: 'integrity' })
    },

    /** The session had enough clear checkpoints in a row. */
    async recoverSession(
      tx: Db,
      org: Org,
      session: { agentId: string; sessionId: string },
    ): Promise<void> {
      const open = await createAlertStore(tx).lockOpen({ ...session, kind: 'integrity' })
      for (const alert of open) await alerts.resolve(tx, org, alert, null)
    },

    hasOpen: (tx: Db, agentId: string, sessionId: string): Promise<boolean> =>
      createAlertStore(tx).hasOpen({ agentId, sessionId, kind: 'integrity' }),
  }
}

function createTraceDrift(deps: DriftDeps, alerts: Alerts) {
  return {
    /** Called after a trace of the card is stored, in its transaction. */
    async followTrace(tx: Db, org: Org, followed: FollowedTrace): Promise<TraceCheck> {
      const { agentId, cardId } = followed
      const store = createAlertStore(tx)
      // Under contention a later trace will take this one into account.
      if (!(await store.lockCard(agentId, cardId))) return { tracesAnalyzed: 0, alertsOpened: 0 }
      const ids = await deps.traces.listLatestIds(tx, { agentId, cardId, countMax: TRACES_MAX })
      const opened = await checkTraces({ deps, alerts, tx, org, followed, ids })
      return { tracesAnalyzed: ids.length, alertsOpened: opened ? 1 : 0 }
    },
  }
}

type TraceChecking = {
  deps: DriftDeps
  alerts: Alerts
  tx: Db
  org: Org
  followed: FollowedTrace
  ids: readonly string[]
}

/** True if an alert was opened. */
async function checkTraces(checking: TraceChecking): Promise<boolean> {
  const { deps, alerts, tx, org, followed, ids } = checking
  const { agentId, cardId } = followed
  const store = createAlertStore(tx)
  const read = (wanted: readonly string[]) => readTraces(deps.traces, tx, agentId, wanted)
  const survey = await runReads(surveyTraces(ids), read)
  if (survey?.state === 'calm') {
    const open = await store.lockOpen({ agentId, cardId, kind: 'trace' })
    for (const alert of open) await alerts.resolve(tx, org, alert, null)
  }
  if (survey?.state !== 'strange') return false
  const sharing = await store.lockSharing(agentId, cardId, ids)
  const evidenceIds = await runReads(trailBack(ids, survey, sharing.map(judgedBy)), read)
  if (evidenceIds === undefined) return false
  const { similarity, baselineIds } = survey
  const progress = { similarity, sustained: evidenceIds.length, evidenceIds, baselineIds }
  const streak = new Set(evidenceIds)
  const known = sharing.filter((alert) => alert.evidenceIds.some((id) => streak.has(id)))
  if (!(await alerts.isNew(tx, known, progress))) {
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
  await alerts.open(tx, org, { ...announced, ...progress, kind: 'trace' })
  await deps.sessions.noteTraceDrift(tx, { agentId, sessionId: drift.sessionId })
  return true
}

function judgedBy({ baselineIds, evidenceIds, followedIds }: Alert): Judged {
  return { baselineIds, evidenceIds: followedIds.length > 0 ? followedIds : evidenceIds }
}

type ReadTraces = (ids: readonly string[]) => Promise<readonly DriftTrace[] | undefined>

/** Undefined if retention has just deleted some; the next trace is compared with the rest. */
async function readTraces(
  traces: Traces,
  tx: Db,
  agentId: string,
  ids: readonly string[],
): Promise<readonly DriftTrace[] | undefined> {
  const found = await traces.listBehaviour(tx, agentId, ids)
  return found.length < ids.length ? undefined : found
}

/** Drives the generator, reading the traces it requests. */
async function runReads<Answer>(
  reads: TraceReads<Answer>,
  read: ReadTraces,
): Promise<Answer | undefined> {
  let step = reads.next()
  while (step.done !== true) {
    const found = await read(step.value)
    if (found === undefined) return undefined
    step = reads.next(found)
  }
  return step.value
}

function createAnswers(deps: DriftDeps, alerts: Alerts) {
  const acknowledgeOne = async (tx: Db, org: Org, alert: Alert, actor: Actor): Promise<Alert> => {
    const resolved = await alerts.resolve(tx, org, alert, actor.userId)
    await deps.audit.record(tx, {
      orgId: org.orgId,
      action: 'drift.acknowledged',
      actor,
      target: { type: 'drift_alert', id: alert.alertId },
      changes: { status: { from: statusOf(alert), to: statusOf(resolved) } },
    })
    return resolved
  }
  return {
    list: (agentId: string, filter: AlertFilter, page: PageRequest): Promise<Page<Alert>> =>
      createAlertStore(deps.db).list(agentId, filter, page),

    countOpen: (agentIds: readonly string[]): Promise<Map<string, number>> =>
      createAlertStore(deps.db).countOpen(agentIds),

    /** Checks no access; the caller does. */
    find: (alertId: string): Promise<Alert | undefined> => createAlertStore(deps.db).find(alertId),

    /** Acknowledged with an API key, it counts as acknowledged by the key's creator (spec: platform §2.2). */
    async acknowledge(org: Org, found: Alert, actor: Actor): Promise<Alert> {
      return transact(deps.db, async (tx) => {
        await deps.agents.assertOpen(tx, found.agentId)
        const alert = await createAlertStore(tx).lock(found.alertId)
        if (alert === undefined) throw noAlert()
        if (statusOf(alert) === 'resolved') {
          throw new Problem('conflict', 'The alert is already resolved.')
        }
        return acknowledgeOne(tx, org, alert, actor)
      })
    },

    /** Leaves out alerts that were resolved meanwhile. All of them belong to the agent, or none is acknowledged. */
    async acknowledgeAll(
      org: Org,
      { agentId, alertIds }: { agentId: string; alertIds: readonly string[] },
      actor: Actor,
    ): Promise<Alert[]> {
      return transact(deps.db, async (tx) => {
        await deps.agents.assertOpen(tx, agentId)
        const found = await createAlertStore(tx).lockAll(agentId, alertIds)
        if (found.length < new Set(alertIds).size) throw noAlert()
        const acknowledged: Alert[] = []
        for (const alert of found) {
          if (statusOf(alert) === 'resolved') continue
          acknowledged.push(await acknowledgeOne(tx, org, alert, actor))
        }
        return acknowledged
      })
    },
  }
}

export function noAlert(): Problem {
  return new Problem('not_found', 'No such alert.')
}
