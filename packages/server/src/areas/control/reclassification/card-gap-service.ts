import { checkedValues, violationType } from '@touchstone/protocol/analysis'
import { type JudgedCard, judgeAmendment, type TraceClaim } from '@touchstone/protocol/control'
import type { Db } from '../../../kernel/db.ts'
import { invalidField, Problem } from '../../../kernel/problem.ts'
import type { AmendmentInContext, Cards, ComposedCard, JudgedCheckpoint, Traces } from './ports.ts'

export type CardGapDeps = { cards: Pick<Cards, 'findAmendment'>; traces: Traces }

/** An API key that reclassifies, and why it cannot excuse a violation, if it cannot. */
export type ReclassifyingKey = { keyId: string; excuseRefusal: string | undefined }

export type AmendedAgent = { orgId: string; agentId: string; activeVersion: number }

/** Throws unless the amendment is one of the agent's card. */
export async function findAmendment(
  { cards }: CardGapDeps,
  tx: Db,
  wanted: AmendedAgent & { amendmentId: string },
): Promise<AmendmentInContext> {
  const found = await cards.findAmendment(tx, wanted)
  if (found !== undefined) return found
  throw invalidField('card_amendment_id', "The agent's card has no such amendment.")
}

/** Throws for a key that must not excuse the violation (spec: provenance §8). */
export function assertMayExcuse(
  key: ReclassifyingKey | undefined,
  { sentBy }: Pick<JudgedCheckpoint, 'sentBy'>,
): void {
  if (key === undefined) return
  if (key.excuseRefusal !== undefined) throw new Problem('forbidden', key.excuseRefusal)
  if (sentBy === key.keyId) {
    throw new Problem(
      'forbidden',
      'The API key that sent a checkpoint cannot reclassify it as a card gap. Sign in, or use another key with the scope approve.',
    )
  }
  if (sentBy === null) {
    throw new Problem(
      'forbidden',
      'It is not known which key sent this checkpoint, because it was stored before that was recorded. Sign in to reclassify it as a card gap.',
    )
  }
}

/** Throws unless the amendment is what would have made the call right. */
export async function assertApplies(
  { traces }: CardGapDeps,
  tx: Db,
  {
    agentId,
    checkpoint,
    amendment,
  }: { agentId: string; checkpoint: JudgedCheckpoint; amendment: AmendmentInContext },
): Promise<void> {
  const { field, before, after, active } = amendment
  const outcome = judgeAmendment({
    field,
    amendedAt: amendment.createdAt,
    receivedAt: checkpoint.receivedAt,
    before: toJudged(before),
    after: toJudged(after),
    active: toJudged(active),
    concerns: checkpoint.concerns,
    trace: await traceClaim(traces, tx, { agentId, checkpoint, amendment }),
  })
  if (outcome.applies) return
  const message = `card_amendment_id: ${outcome.missing}`
  throw new Problem('amendment_does_not_apply', message, {
    details: [
      { path: '/card_amendment_id', code: 'amendment_does_not_apply', message: outcome.missing },
    ],
  })
}

function toJudged({ card, values }: ComposedCard): JudgedCard {
  return { card, values: checkedValues(values) }
}

/** Undefined if the concerns alone name the violation. */
async function traceClaim(
  traces: Traces,
  tx: Db,
  {
    agentId,
    checkpoint,
    amendment,
  }: { agentId: string; checkpoint: JudgedCheckpoint; amendment: AmendmentInContext },
): Promise<TraceClaim | undefined> {
  const { verdict, concerns, linkedTraceId: traceId, violationType: type } = checkpoint
  if (type === null || type === violationType(verdict, concerns)) return undefined
  const { before, after, active } = amendment
  const cards = [before, after, active].map(({ card }) => card)
  const found =
    traceId === null ? undefined : await traces.violationsUnder(tx, { agentId, traceId }, cards)
  const [underBefore, underAfter, underActive] = found ?? []
  return {
    type,
    under:
      underBefore === undefined || underAfter === undefined || underActive === undefined
        ? undefined
        : { before: underBefore, after: underAfter, active: underActive },
  }
}
