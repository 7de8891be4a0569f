import { TREND_WINDOW_MS, weekStart } from '@touchstone/protocol/score'
import { ROSTER_CHANGE_DAYS_END } from '@touchstone/protocol/teams'
import type { Audit } from '../../../audit.ts'
import { type Clock, DAY_MS, later } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import type { Events, NewEvent } from '../../../kernel/events.ts'
import type { Meters, Orgs, Plans, RatedTeam, Scores, Teams } from './ports.ts'
import {
  type Before,
  type ComputedTeam,
  changeOf,
  computeTeam,
  type StoredStanding,
  standingOf,
  type TeamInputs,
  trendOf,
} from './publication.ts'
import { createTeamScoreStore, type PublishedTeam, type TeamStanding } from './store.ts'

export type ComputeDeps = {
  db: Db
  clock: Clock
  audit: Audit
  events: Events
  teams: Teams
  scores: Scores
  orgs: Orgs
  plans: Plans
  meters: Meters
  onComputed(count: number): void
}

/** Why a team is computed: by the schedule, after an event, or on request. */
export type Trigger = 'schedule' | 'event' | 'request'

/** Roster changes after the returned time may count at the given time. */
export function rosterWindow(at: Date): Date {
  return later(at, -ROSTER_CHANGE_DAYS_END * DAY_MS)
}

/**
 * Computes and publishes the score of an active team; throws `conflict` if it is archived. After an
 * event, skips a team that has been computed since.
 */
export async function computeAndPublish(
  deps: ComputeDeps,
  teamId: string,
  trigger: Trigger,
  alsoWrite?: (tx: Db, change: { before: Before; after: PublishedTeam }) => Promise<void>,
): Promise<void> {
  const done = await transact(deps.db, async (tx) => {
    const team = await deps.teams.lockActive(tx, teamId)
    const store = createTeamScoreStore(tx)
    const standing = await store.lock(teamId)
    if (trigger === 'event' && standing.dueAt === null) return false
    // Read after the locks, which may have waited: the score covers what is read from here.
    const inputs = await readInputs(deps, tx, team, standing)
    const before = await readBefore(tx, teamId, standing, inputs.computedAt)
    const after = publishedOf(computeTeam(inputs), { inputs, team, standing, before })
    await store.publish(teamId, after)
    await store.replaceMembers(teamId, inputs.members)
    await saveHistory(tx, teamId, before, after)
    await emitEvents(deps, tx, team, { before, after })
    await alsoWrite?.(tx, { before, after })
    if (trigger !== 'schedule') {
      await deps.meters.record(tx, { orgId: team.orgId, meter: 'team_reputation', amount: 1 })
    }
    return true
  })
  if (done) deps.onComputed(1)
}

async function readInputs(
  deps: ComputeDeps,
  tx: Db,
  { teamId, rosterLength }: RatedTeam,
  { chainLength, chainHead }: TeamStanding,
): Promise<TeamInputs> {
  const computedAt = deps.clock.now()
  const chain = { teamId, length: chainLength }
  const roster = { teamId, length: rosterLength }
  return {
    teamId,
    chainHead,
    computedAt,
    assessments: await createTeamScoreStore(tx).assessmentGroups(chain, computedAt),
    members: await readMembers(deps, tx, teamId),
    rosterChanges: await deps.teams.rosterChangesAfter(tx, roster, rosterWindow(computedAt)),
  }
}

async function readMembers(deps: ComputeDeps, tx: Db, teamId: string): Promise<StoredStanding[]> {
  const agentIds = await deps.teams.membersOf(tx, teamId)
  const found = await deps.scores.lastComputed(tx, agentIds)
  const known = new Map(found.map((one) => [one.agentId, one]))
  return agentIds.map((agentId) => {
    const { score = null, root = null } = known.get(agentId) ?? {}
    return standingOf({ agentId, score, merkleRoot: root === null ? null : `sha256:${root}` })
  })
}

async function readBefore(
  tx: Db,
  teamId: string,
  { published }: TeamStanding,
  now: Date,
): Promise<Before> {
  const monthAgo = await createTeamScoreStore(tx).lastBefore(teamId, later(now, -TREND_WINDOW_MS))
  return { score: published?.score ?? null, grade: published?.grade ?? 'NR', monthAgo }
}

function publishedOf(
  { reputation, proofHash }: ComputedTeam,
  from: { inputs: TeamInputs; team: RatedTeam; standing: TeamStanding; before: Before },
): PublishedTeam {
  const { computedAt, chainHead } = from.inputs
  const { score, grade, tier, confidence, components } = reputation
  return {
    score,
    grade,
    tier,
    confidence,
    components,
    chainHead,
    proofHash,
    computedAt,
    trend30d: trendOf(score, from.before, computedAt),
    assessmentsUsed: from.standing.chainLength,
    rosterUsed: from.team.rosterLength,
  }
}

async function saveHistory(
  tx: Db,
  teamId: string,
  before: Before,
  after: PublishedTeam,
): Promise<void> {
  const { score, grade, computedAt, components } = after
  if (score === null) return
  const store = createTeamScoreStore(tx)
  if (score !== before.score) await store.log(teamId, { at: computedAt, score })
  await store.saveWeek(teamId, {
    score,
    grade,
    createdAt: computedAt,
    weekStart: weekStart(computedAt.getTime()),
    components: numbersOf(components),
    totalAssessments: after.assessmentsUsed,
  })
}

function numbersOf(components: PublishedTeam['components']): Record<string, number> {
  return Object.fromEntries(components.map(({ key, score }) => [key, score]))
}

async function emitEvents(
  deps: ComputeDeps,
  tx: Db,
  { teamId, orgId }: RatedTeam,
  { before, after }: { before: Before; after: PublishedTeam },
): Promise<void> {
  const { gradeChanged, scoreChanged } = changeOf(before, after)
  if (!scoreChanged) return
  const accountId = await deps.orgs.accountOf(tx, orgId)
  if (accountId === undefined) return
  const org = { orgId, accountId }
  const events: NewEvent[] = [
    {
      ...org,
      type: 'team_reputation.score_changed',
      data: {
        team_id: teamId,
        score_before: before.score,
        score_after: after.score,
        grade: after.grade,
        components: numbersOf(after.components),
      },
    },
  ]
  if (gradeChanged) {
    const { score } = after
    const data = { team_id: teamId, grade_before: before.grade, grade_after: after.grade, score }
    events.push({ ...org, type: 'team_reputation.grade_changed', data })
  }
  await deps.events.emitAll(tx, events)
}
