import type { ReclassifiedType } from '@touchstone/protocol/control'
import type { Db, Page, PageRequest } from '../../../kernel/db.ts'
import { createCommentStore, type Said } from './comment-store.ts'
import { loosenedBy, loosenedPeriod, loosenings } from './loosened.ts'
import type {
  Cards,
  Certificates,
  Checkpoints,
  Span,
  TraceFindings,
  Traces,
  ViolatingCheckpoint,
  ViolationFilter,
  ViolationKind,
} from './ports.ts'
import { createReclassificationStore, type ReclassificationPlace } from './store.ts'
import { countsAgainstScore, worstConcern } from './violation.ts'

/** Comments shown with each violation; a separate route lists all of them. */
const COMMENTS_SHOWN_MAX = 20

const NOTHING_SAID: Said = { count: 0, latest: [] }

export type ViolationDeps = BesideDeps & { checkpoints: Checkpoints }

/** Sources of the details shown with a violation. */
export type BesideDeps = {
  db: Db
  cards: Pick<Cards, 'amendmentsWithin'>
  certificates: Certificates
  traces: Pick<Traces, 'policiesOf'>
}

/** A violation with all its details (spec: control §1.1). */
export type Violation = Omit<ViolatingCheckpoint, 'concerns' | 'excluded' | 'receivedAt'> & {
  /** The severity of the worst concern. */
  severity: string | null
  description: string | null
  reclassifiedAs: ReclassifiedType | null
  reclassificationId: string | null
  countsAgainstScore: boolean
  /** Hex; null without a certificate. */
  certificateHash: string | null
  policy: TraceFindings | null
  /** Ids of amendments that loosened the card soon after. */
  loosenedBy: readonly string[]
  said: Said
}

/** The end of reclassifications, comments and amendments at some moment. */
export type AppealEnd = {
  reclassification: ReclassificationPlace | null
  commentNumber: number
  cardVersion: number
}

export function createViolationService(deps: ViolationDeps) {
  return {
    /** Newest first. */
    async violations(filter: ViolationFilter, request: PageRequest): Promise<Page<Violation>> {
      const page = await deps.checkpoints.pageOfViolations(filter, request)
      const found = page.items.map(({ checkpoint, seal }) => ({ ...checkpoint, ...seal }))
      return { ...page, items: await describeViolations(deps, filter.agentId, found) }
    },

    violationTypes: (agentId: string, span: Span): Promise<ViolationKind[]> =>
      deps.checkpoints.violationTypes(agentId, span),
  }
}

/**
 * Adds the details of each violation; reclassification and comments as of an end, if one is
 * given.
 */
export async function describeViolations(
  deps: BesideDeps,
  agentId: string,
  found: readonly (ViolatingCheckpoint & { position: number })[],
  end?: AppealEnd,
): Promise<(Violation & { position: number })[]> {
  if (found.length === 0) return []
  const checkpointIds = found.map(({ checkpointId }) => checkpointId)
  const traceIds = found.flatMap(({ linkedTraceId }) => linkedTraceId ?? [])
  const comments = createCommentStore(deps.db)
  const [known, said, hashes, policies, amended] = await Promise.all([
    createReclassificationStore(deps.db).knownOf(agentId, checkpointIds, end?.reclassification),
    comments.saidOf(agentId, checkpointIds, COMMENTS_SHOWN_MAX, end?.commentNumber),
    deps.certificates.certificateHashes(
      agentId,
      found.map(({ position }) => position),
    ),
    deps.traces.policiesOf(agentId, traceIds),
    deps.cards.amendmentsWithin(agentId, found.map(loosenedPeriod)),
  ])
  const loose = loosenings(amended, end?.cardVersion)
  // Lists every member: omitting members by rest destructuring is several times slower for large
  // pages.
  return found.map((one) => {
    const worst = worstConcern(one.concerns)
    const reclassified = known.get(one.checkpointId)
    const reclassifiedAs = reclassified?.newType ?? null
    return {
      checkpointId: one.checkpointId,
      sessionId: one.sessionId,
      cardId: one.cardId,
      timestamp: one.timestamp,
      verdict: one.verdict,
      violationType: one.violationType,
      linkedTraceId: one.linkedTraceId,
      position: one.position,
      severity: worst?.severity ?? null,
      description: worst?.description ?? null,
      reclassifiedAs,
      reclassificationId: reclassified?.reclassificationId ?? null,
      countsAgainstScore: countsAgainstScore({ excluded: one.excluded, reclassifiedAs }),
      certificateHash: hashes.get(one.position) ?? null,
      policy: policies.get(one.linkedTraceId ?? '') ?? null,
      loosenedBy: loosenedBy(one, loose),
      said: said.get(one.checkpointId) ?? NOTHING_SAID,
    }
  })
}
