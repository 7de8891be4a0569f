import { canonicalJson } from '@touchstone/protocol/base'
import { teamChainHash } from '@touchstone/protocol/teams'
import { createCache } from '../../../kernel/cache.ts'
import { MINUTE_MS } from '../../../kernel/clock.ts'
import { createChainStore, type Link } from './chain-store.ts'
import { type ComputeDeps, rosterWindow } from './compute-service.ts'
import type { RatedTeam } from './ports.ts'
import { computeTeam, hashesMatch, type StoredStanding, type TeamInputs } from './publication.ts'
import type { GetShown, Seen } from './shown-service.ts'
import { createTeamScoreStore, type PublishedTeam } from './store.ts'

/** Links read per batch: a few milliseconds of hashing, short enough not to delay other requests. */
const BATCH_ROWS = 1000

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

/** Verifies a published score against the assessments, members and roster changes behind it. */
export function createVerifyService(
  deps: Pick<ComputeDeps, 'db' | 'clock' | 'teams'> & { onUnverified(teamId: string): void },
  getShown: GetShown,
) {
  const store = createTeamScoreStore(deps.db)
  // Keyed by publication, which invalidates the result; cached because walking the chain is slow.
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
    const verified = walked.valid && hashesMatch(members) && isReproduced(inputs, published)
    if (!verified) {
      // Retry if a newer score was published meanwhile.
      const now = (await store.find(teamId))?.published
      const isReplaced =
        now !== undefined && isRated(now) && keyOf(teamId, now) !== keyOf(teamId, published)
      if (isReplaced) return check(team, now)
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

  /** Concurrent calls for the same publication share one walk. */
  const checkOnce = async (key: string, team: RatedTeam, published: Rated) => {
    const started = running.get(key) ?? check(team, published)
    running.set(key, started)
    try {
      const result = await started
      cache.set(key, result)
      return result
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

/** Identifies one publication of a team's score. */
function keyOf(teamId: string, { computedAt, proofHash }: Rated): string {
  return `${teamId} ${computedAt.getTime()} ${proofHash}`
}

function isRated(published: PublishedTeam): published is Rated {
  const { score, chainHead, proofHash } = published
  return score !== null && chainHead !== null && proofHash !== null
}

type Walked = { valid: boolean; last: Link | undefined }

/** Verifies the hash chain from the first assessment to the last one used. */
async function walk(db: ComputeDeps['db'], teamId: string, published: Rated): Promise<Walked> {
  const through = published.assessmentsUsed
  let last: Link | undefined
  while ((last?.position ?? 0) < through) {
    const after: number = last?.position ?? 0
    const links = await createChainStore(db).list(teamId, { after, through, limit: BATCH_ROWS })
    if (links.length === 0) return { valid: false, last }
    for (const link of links) {
      const isNext = link.position === (last?.position ?? 0) + 1
      if (!isNext || link.hash !== teamChainHash(link.assessment, last?.hash)) {
        return { valid: false, last: link }
      }
      last = link
    }
  }
  return { valid: last?.hash === published.chainHead, last }
}

/** True if recomputing from the inputs gives the published score. */
function isReproduced(inputs: TeamInputs, published: Rated): boolean {
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
