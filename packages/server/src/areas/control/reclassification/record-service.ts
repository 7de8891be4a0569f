import { createCommentStore } from './comment-store.ts'
import type { Amendment, Cards, Checkpoints, ViolationPlace } from './ports.ts'
import {
  createReclassificationStore,
  type Reclassification,
  type ReclassificationPlace,
} from './store.ts'
import {
  type AppealEnd,
  type BesideDeps,
  describeViolations,
  type Violation,
} from './violation-service.ts'

export type RecordDeps = BesideDeps & {
  checkpoints: Pick<Checkpoints, 'chainLength' | 'violationsAfter'>
  cards: Pick<Cards, 'lastAmendedVersion' | 'amendmentsAfter' | 'amendmentsWithin'>
}

/** The end of an agent's records at some moment: later records always come after it. */
export type RecordsEnd = AppealEnd & { chainLength: number }

/** An agent's records up to an end, within a time range with inclusive bounds. */
export type RecordSpan = {
  agentId: string
  from: Date | undefined
  to: Date | undefined
  end: RecordsEnd
}

export type LinkedAmendment = Amendment & { linkedReclassificationId: string | null }

type Links = Pick<ReturnType<typeof createReclassificationStore>, 'linksOf'>

/** Reads an agent's whole record in slices, oldest first, for exports. */
export function createRecordService(deps: RecordDeps) {
  const store = createReclassificationStore(deps.db)
  return {
    /**
     * Referring records are bounded before the records they refer to, so that no reference
     * dangles.
     */
    async recordsEnd(agentId: string): Promise<RecordsEnd> {
      const comment = await createCommentStore(deps.db).findEnd(agentId)
      const reclassification = await store.findLast(agentId)
      const cardVersion = await deps.cards.lastAmendedVersion(agentId)
      const chainLength = await deps.checkpoints.chainLength(deps.db, agentId)
      return {
        reclassification,
        commentNumber: comment?.entryNumber ?? 0,
        cardVersion,
        chainLength,
      }
    },

    async violationsAfter(
      { agentId, from, to, end }: RecordSpan,
      after: ViolationPlace | undefined,
      limit: number,
    ): Promise<(Violation & ViolationPlace)[]> {
      const span = { agentId, from, to, chainLength: end.chainLength }
      const found = await deps.checkpoints.violationsAfter(span, after, limit)
      return describeViolations(deps, agentId, found, end)
    },

    reclassificationsAfter: (
      { agentId, from, to, end }: RecordSpan,
      after: ReclassificationPlace | undefined,
      limit: number,
    ): Promise<Reclassification[]> =>
      store.listAfter({ agentId, from, to, through: end.reclassification }, after, limit),

    async amendmentsAfter(
      { agentId, from, to, end }: RecordSpan,
      after: Amendment | undefined,
      limit: number,
    ): Promise<LinkedAmendment[]> {
      const span = { agentId, from, to, versionMax: end.cardVersion }
      const found = await deps.cards.amendmentsAfter(span, after, limit)
      return withLinks(store, agentId, found, end.reclassification)
    },
  }
}

/** Amendments with the reclassification that cites them, up to a place if one is given. */
export async function withLinks(
  store: Links,
  agentId: string,
  found: readonly Amendment[],
  through?: ReclassificationPlace | null,
): Promise<LinkedAmendment[]> {
  const ids = found.map(({ amendmentId }) => amendmentId)
  const links = await store.linksOf(agentId, ids, through)
  return found.map((one) => {
    return { ...one, linkedReclassificationId: links.get(one.amendmentId) ?? null }
  })
}
