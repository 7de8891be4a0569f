import type { Actor, Audit } from '../../../audit.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Page, PageRequest } from '../../../kernel/db.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { newId } from '../../../kernel/ids.ts'
import { Problem } from '../../../kernel/problem.ts'
import { createCommentStore } from './comment-store.ts'
import type { Agents, Checkpoints } from './ports.ts'
import { linkComment, type TrailEntry } from './trail.ts'

export type CommentDeps = {
  db: Db
  clock: Clock
  audit: Audit
  agents: Agents
  checkpoints: Checkpoints
}

type Place = { agentId: string; checkpointId: string }

/** The comment trail of violations, which is append-only. */
export function createCommentService(deps: CommentDeps) {
  return {
    addComment: (of: Place, text: string, actor: Actor): Promise<TrailEntry> =>
      transact(deps.db, async (tx) => {
        // Locked until commit, so that two entries cannot link to the same predecessor.
        const { orgId } = await deps.agents.lockOpen(tx, of.agentId)
        await assertViolation(deps, tx, of)
        const store = createCommentStore(tx)
        const comment = {
          id: newId('vc'),
          checkpointId: of.checkpointId,
          author: actor.userId,
          text,
          createdAt: deps.clock.now(),
        }
        const entry = linkComment(comment, await store.findEnd(of.agentId))
        await store.insert(of.agentId, entry)
        const target = { type: 'checkpoint', id: of.checkpointId }
        await deps.audit.record(tx, { orgId, action: 'violation.commented', actor, target })
        return entry
      }),

    assertViolation: (of: Place): Promise<void> => assertViolation(deps, deps.db, of),

    async listComments(of: Place, page: PageRequest): Promise<Page<TrailEntry>> {
      await assertViolation(deps, deps.db, of)
      return createCommentStore(deps.db).list(of, page)
    },
  }
}

async function assertViolation({ checkpoints }: CommentDeps, db: Db, of: Place): Promise<void> {
  const found = await checkpoints.findViolation(db, of)
  if (found?.violationType != null) return
  throw new Problem('checkpoint_not_found', 'The agent has no such violation.')
}
