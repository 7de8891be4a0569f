import type { Actor, Audit } from '../../../kernel/audit.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import type { Events } from '../../../kernel/events.ts'
import { newId } from '../../../kernel/ids.ts'
import type { Page, PageRequest } from '../../../kernel/page.ts'
import { Problem } from '../../../kernel/problem.ts'
import { type Alert, decideAlert, type Kind, statusOf } from './alert.ts'
import { detectedEvent, resolvedEvent } from './drift-event.ts'
import { gradeStreak, type IntegrityStreak } from './integrity-drift.ts'
import type { Agents, Sessions, Traces } from './ports.ts'
import { type AlertFilter, createAlertStore } from './store.ts'
import { type Survey, surveyTraces, TRACES_MAX } from './trace-drift.ts'

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
    erase: (tx: Db, agentId: string): Promise<void> => createAlertStore(tx).deleteOfAgent(agentId),
  }
}

/** What stands in an alert but for its name, its time and its end. */
type Drift = Omit<
  Alert,
  'alertId' | 'orgId' | 'detectedAt' | 'resolution' | 'resolvedAt' | 'acknowledgedBy'
>

const PREFIX_OF: Record<Kind, string> = { integrity: 'ida', trace: 'da' }

type Keeping = ReturnType<typeof keepingAlerts>

function keepingAlerts(deps: DriftDeps) {
  const open = async (tx: Db, org: Org, drift: Drift): Promise<void> => {
    const alert: Alert = {
      ...drift,
      alertId: newId(PREFIX_OF[drift.kind]),
      orgId: org.orgId,
      detectedAt: deps.clock.now(),
      resolution: null,
      resolvedAt: null,
      acknowledgedBy: null,
    }
    await createAlertStore(tx).insert(alert)
    await deps.events.emit(tx, { ...org, ...detectedEvent(alert) })
  }

  return {
    /**
     * `known`: the alerts this streak has. True when it got its first one now. What was announced
     * of an open alert stays; its ids, count and similarity follow the streak (01 §5).
     */
    async follow(tx: Db, org: Org, drift: Drift, known: readonly Alert[]): Promise<boolean> {
      const decision = decideAlert(known)
      if (decision.kind === 'update') {
        const { similarity, sustained, evidenceIds } = drift
        const alert = { ...decision.alert, similarity, sustained, evidenceIds }
        await createAlertStore(tx).update(alert)
      }
      if (decision.kind !== 'open') return false
      await open(tx, org, drift)
      return true
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
      const drift: Drift = {
        ...{ agentId, sessionId, cardId, sustained, similarity, ...grade },
        kind: 'integrity',
        evidenceIds: streak.checkpointIds,
        streakId: firstId,
      }
      const known = await createAlertStore(tx).lockOfStreak(agentId, firstId)
      await keeping.follow(tx, org, drift, known)
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
      await store.lockCard(agentId, cardId)
      const ids = await deps.traces.listLatestIds(tx, { agentId, cardId, countMax: TRACES_MAX })
      const seen = { tracesAnalyzed: ids.length, alertsOpened: 0 }
      const survey = await readSurvey(deps.traces, tx, { ...followed, ids })
      if (survey.state === 'calm') {
        const alerts = await store.lockOpen({ agentId, cardId, kind: 'trace' })
        for (const alert of alerts) await keeping.resolve(tx, org, alert, null)
      }
      if (survey.state !== 'drifting') return seen
      const { traceIds: evidenceIds, ...found } = survey.drift
      const drift: Drift = { ...found, agentId, cardId, kind: 'trace', evidenceIds, streakId: null }
      const known = await store.lockSharing(agentId, cardId, evidenceIds)
      if (!(await keeping.follow(tx, org, drift, known))) return seen
      await deps.sessions.noteTraceDrift(tx, { agentId, sessionId: drift.sessionId })
      return { ...seen, alertsOpened: 1 }
    },
  }
}

/** Reads what the survey asks for, step by step. */
async function readSurvey(
  traces: Traces,
  tx: Db,
  { agentId, declaredValues, ids }: FollowedTrace & { ids: readonly string[] },
): Promise<Survey> {
  const survey = surveyTraces(ids, declaredValues)
  let step = survey.next()
  while (step.done !== true) {
    const found = await traces.listBehaviour(tx, agentId, step.value)
    // Retention has just taken some of them away; the next trace is compared with what is left.
    if (found.length < step.value.length) return { state: 'mixed' }
    step = survey.next(found)
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
