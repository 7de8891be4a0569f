import { canonicalJson } from '@touchstone/protocol/base'
import { validateCard } from '@touchstone/protocol/cards'
import { deriveTeamCard, TEAM_CARDS_MIN } from '@touchstone/protocol/teams'
import type { Actor, Audit } from '../../../audit.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Page, PageRequest } from '../../../kernel/db.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import type { Events } from '../../../kernel/events.ts'
import { newId, type TeamId } from '../../../kernel/ids.ts'
import { assertPrecondition, Problem } from '../../../kernel/problem.ts'
import type { Cards, Orgs, Teams } from './ports.ts'
import { createTeamCardStore } from './store.ts'
import {
  type CardSource,
  type ListedTeamCard,
  mayBecomeHybrid,
  type StoredTeamCard,
  sameTeamCard,
  type TeamCard,
  type TeamExtras,
} from './team-card.ts'

/** Four times the limit of one card: the cards of fifty members overlap for the most part. */
const DERIVED_BYTES_MAX = 4 * 65_536

export type TeamCardDeps = {
  db: Db
  clock: Clock
  audit: Audit
  events: Events
  teams: Teams
  cards: Cards
  orgs: Orgs
}

/** A submitted card: its raw blocks, the fields specific to teams, and its source. */
export type TeamCardSubmission = {
  blocks: Readonly<Record<string, unknown>>
  extras: TeamExtras
  source: Exclude<CardSource, 'auto_derived'>
}

export type Derivation = {
  card: TeamCard
  memberCount: number
  membersWithCards: number
  /** Version of the active card; undefined if there is none, which a preview allows. */
  version: number | undefined
  changed: boolean
  droppedConflicts: readonly string[]
}

export type TeamCardService = ReturnType<typeof createTeamCardService>

export function createTeamCardService(deps: TeamCardDeps) {
  return {
    findActive: (teamId: string): Promise<StoredTeamCard | undefined> =>
      createTeamCardStore(deps.db).findActive(teamId),

    history: (
      teamId: string,
      page: PageRequest,
      options: { withCards: boolean },
    ): Promise<Page<ListedTeamCard>> => createTeamCardStore(deps.db).list(teamId, page, options),

    /** Used to assess the team against its card. */
    activeCard: async (db: Db, teamId: string): Promise<TeamCard | undefined> =>
      (await createTeamCardStore(db).findActive(teamId))?.card,

    /** Called when a team is erased. */
    eraseTeam: (tx: Db, teamId: TeamId): Promise<void> => createTeamCardStore(tx).deleteOf(teamId),

    async replace(
      teamId: string,
      submission: TeamCardSubmission,
      by: { actor: Actor; ifMatch: string | undefined },
    ): Promise<StoredTeamCard> {
      const card = accept(teamId, submission, deps.clock.now())
      return transact(deps.db, async (tx) => {
        const { orgId } = await deps.teams.lockActive(tx, teamId)
        const active = await createTeamCardStore(tx).findActive(teamId)
        assertPrecondition({ ifMatch: asVersionTag(by.ifMatch) }, active?.version)
        if (submission.source === 'hybrid' && !mayBecomeHybrid(active)) {
          throw new Problem(
            'invalid_request',
            'card_source: hybrid requires an active card that is auto_derived or hybrid',
          )
        }
        return save(deps, tx, {
          teamId,
          orgId,
          card,
          source: submission.source,
          actor: by.actor,
          active,
        })
      })
    },

    /** Derives the card from the members' current cards. A preview saves nothing. */
    async derive(teamId: string, by: { actor: Actor; preview: boolean }): Promise<Derivation> {
      return transact(deps.db, async (tx) => {
        const { orgId } = await deps.teams.lockActive(tx, teamId)
        const agentIds = await deps.teams.membersOf(tx, teamId)
        const found = await deps.cards.activeCards(tx, agentIds)
        if (found.length < TEAM_CARDS_MIN) {
          const message = `At least ${TEAM_CARDS_MIN} members must have a card that has not expired.`
          throw new Problem('invalid_request', message)
        }
        const issuedAt = deps.clock.now()
        const derived = deriveTeamCard(
          found.map(({ card }) => card),
          { teamId, orgId, issuedAt },
        )
        assertSize(derived.card)
        const active = await createTeamCardStore(tx).findActive(teamId)
        const isSame = active?.source === 'auto_derived' && sameTeamCard(active.card, derived.card)
        const saved =
          isSame || by.preview
            ? active
            : await save(deps, tx, {
                teamId,
                orgId,
                card: derived.card,
                source: 'auto_derived',
                actor: by.actor,
                active,
              })
        return {
          card: isSame || !by.preview ? (saved?.card ?? derived.card) : derived.card,
          memberCount: agentIds.length,
          membersWithCards: found.length,
          version: saved?.version,
          changed: !isSame,
          droppedConflicts: derived.droppedConflicts,
        }
      })
    },
  }
}

function assertSize(card: TeamCard): void {
  if (Buffer.byteLength(canonicalJson(card)) <= DERIVED_BYTES_MAX) return
  const message = `The derived card would exceed ${DERIVED_BYTES_MAX} bytes; shorten the definitions in the members' cards, or set a card manually.`
  throw new Problem('invalid_request', message)
}

type NewVersion = {
  teamId: string
  orgId: string
  card: TeamCard
  source: CardSource
  actor: Actor
  active: StoredTeamCard | undefined
}

async function save(deps: TeamCardDeps, tx: Db, next: NewVersion): Promise<StoredTeamCard> {
  const { teamId, orgId, source, actor, active } = next
  const cardId = newId('ac')
  const issuedAt = deps.clock.now()
  const version = (active?.version ?? 0) + 1
  const card = { ...next.card, card_id: cardId, issued_at: issuedAt.toISOString() }
  const stored = { teamId, version, cardId, card, source, actorId: actor.id, issuedAt }
  await createTeamCardStore(tx).insert(stored)
  await deps.audit.record(tx, {
    orgId,
    action: 'team.card_updated',
    actor,
    target: { type: 'team', id: teamId },
    changes: { version: { from: active?.version ?? null, to: version } },
  })
  const accountId = await deps.orgs.accountOf(tx, orgId)
  if (accountId !== undefined) {
    const data = {
      team_id: teamId,
      card_id: cardId,
      version,
      card_source: source,
      actor_id: actor.id,
    }
    await deps.events.emit(tx, { type: 'team.card_updated', orgId, accountId, data })
  }
  return stored
}

/** Validated like an agent's card, but every fault is a 400 here (spec: fleet §3). */
function accept(teamId: string, { blocks, extras }: TeamCardSubmission, now: Date): TeamCard {
  const outcome = validateCard({ card: blocks }, { agentId: teamId, now })
  if (outcome.valid) return { ...outcome.card, ...extras }
  const first = outcome.errors[0]
  const message =
    first === undefined ? 'The card is invalid.' : `${first.path.slice(1)}: ${first.message}`
  throw new Problem('invalid_request', message)
}

/** The ETag of version 2 is `"2"` here; the usual form `"v2"` is accepted too. */
function asVersionTag(ifMatch: string | undefined): string | undefined {
  return ifMatch?.replace(/"(\d+)"/g, '"v$1"')
}
