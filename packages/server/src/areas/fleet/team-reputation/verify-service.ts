import { canonicalJson } from '@touchstone/protocol/base'
import { teamChainHash } from '@touchstone/protocol/teams'
import { createCache } from '../../../kernel/cache.ts'
import { MINUTE_MS } from '../../../kernel/clock.ts'
import { createChainStore, type Link } from './chain-store.ts'
import { type ComputeDeps, rosterWindow } from './compute-service.ts'
import type { RatedTeam } from './ports.ts'
import { computeTeam, hashesHold, type StoredStanding, type TeamInputs } from './publication.ts'
import type { GetShown, Seen } from './shown-service.ts'
import { createTeamScoreStore, type PublishedTeam } from './store.ts'

/** Links read at once: a few milliseconds of hashing, which requests can wait for. */
const SLICE_ROWS = 1000

const CACHED_MAX = 5000

export type TeamVerification = {
  team: RatedTeam
  score: number | null
  grade: string
  computedAt: Date
  verified: boolean
  /** Null while the team is not eligible. */
  proof: {
    proofHash: string
    chainHead: string
    chainValid: boolean
    totalAssessments: number
    latestAssessmentId: string | null
    latestAssessmentAt: string | null
    memberScoreHashes: readonly string[]
    generatedAt: Date
  } | null
}

type Rated = PublishedTeam & { chainHead: string; proofHash: string }

/** Holds a published score against the assessments, members and changes it was computed from. */
export function createVerifyService(
  deps: Pick<ComputeDeps, 'db' | 'clock' | 'teams'> & { onUnverified(teamId: string): void },
  getShown: GetShown,
) {
  const store = createTeamScoreStore(deps.db)
  // By what was published: the walk over the chain is long, and publication makes it stale.
  const cache = createCache<TeamVerification>({
    clock: deps.clock,
    entriesMax: CACHED_MAX,
    ttlMs: MINUTE_MS,
  })

  const running = new Map<string, Promise<TeamVerification>>()

  const check = async (team: RatedTeam, published: Rated): Promise<TeamVerification> => {
    const { teamId } = team
    const { chainHead, proofHash, assessmentsUsed, computedAt, score, grade } = published
    const walked = await walk(deps.db, teamId, published)
    const members = await store.members(teamId)
    const chain = { teamId, length: assessmentsUsed }
    const roster = { teamId, length: published.rosterUsed }
    const inputs: TeamInputs = {
      teamId,
      chainHead,
      members,
      computedAt,
      assessments: await store.assessmentGroups(chain, computedAt),
      rosterChanges: await deps.teams.rosterChangesAfter(deps.db, roster, rosterWindow(computedAt)),
    }
    const verified = walked.valid && hashesHold(members) && isSame(inputs, published)
    if (!verified) {
      // Another score may have been published while this one was read.
      const now = (await store.find(teamId))?.published
      const isMoved =
        now !== undefined && isRated(now) && keyOf(teamId, now) !== keyOf(teamId, published)
      if (isMoved) return check(team, now)
      deps.onUnverified(teamId)
    }
    return {
      team,
      score,
      grade,
      computedAt,
      verified,
      proof: {
        proofHash,
        chainHead,
        chainValid: walked.valid,
        totalAssessments: assessmentsUsed,
        latestAssessmentId: walked.last?.assessment.assessmentId ?? null,
        latestAssessmentAt: walked.last?.assessment.createdAt ?? null,
        memberScoreHashes: hashesOf(members),
        generatedAt: deps.clock.now(),
      },
    }
  }

  /** Whoever asks the same meanwhile waits for the same walk. */
  const checkOnce = async (key: string, team: RatedTeam, published: Rated) => {
    const checking = running.get(key) ?? check(team, published)
    running.set(key, checking)
    try {
      const made = await checking
      cache.set(key, made)
      return made
    } finally {
      running.delete(key)
    }
  }

  return {
    async verify(teamId: string, orgIds: readonly string[]): Promise<Seen<TeamVerification>> {
      const team = await getShown(teamId, orgIds)
      const isPrivate = team.visibility === 'private'
      const published = (await store.find(teamId))?.published
      if (published === undefined || !isRated(published)) {
        const computedAt = published?.computedAt ?? team.createdAt
        const made = { team, score: null, grade: 'NR', computedAt, verified: false, proof: null }
        return { made, isPrivate }
      }
      const key = keyOf(teamId, published)
      const made = cache.get(key) ?? (await checkOnce(key, team, published))
      return { made, isPrivate }
    },
  }
}

/** What was published, and when. */
function keyOf(teamId: string, { computedAt, proofHash }: Rated): string {
  return `${teamId} ${computedAt.getTime()} ${proofHash}`
}

function isRated(published: PublishedTeam): published is Rated {
  const { score, chainHead, proofHash } = published
  return score !== null && chainHead !== null && proofHash !== null
}

type Walked = { valid: boolean; last: Link | undefined }

/** From the first assessment to the last one that was used, each bound to the one before. */
async function walk(db: ComputeDeps['db'], teamId: string, published: Rated): Promise<Walked> {
  const through = published.assessmentsUsed
  let last: Link | undefined
  while ((last?.position ?? 0) < through) {
    const after: number = last?.position ?? 0
    const links = await createChainStore(db).list(teamId, { after, through, limit: SLICE_ROWS })
    if (links.length === 0) return { valid: false, last }
    for (const link of links) {
      const follows = link.position === (last?.position ?? 0) + 1
      if (!follows || link.hash !== teamChainHash(link.assessment, last?.hash)) {
        return { valid: false, last: link }
      }
      last = link
    }
  }
  return { valid: last?.hash === published.chainHead, last }
}

function isSame(inputs: TeamInputs, published: Rated): boolean {
  const { reputation, proofHash } = computeTeam(inputs)
  return (
    reputation.score === published.score &&
    proofHash === published.proofHash &&
    canonicalJson(reputation.components) === canonicalJson(published.components)
  )
}

function hashesOf(members: readonly StoredStanding[]): string[] {
  return members.map(({ hash }) => hash).sort()
}
