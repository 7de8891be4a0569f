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

/** Four times one card: what fifty members declare is mostly the same. */
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

/** The blocks of a card as they came, what is said beside them, and by which hand. */
export type TeamCardSubmission = {
  blocks: Readonly<Record<string, unknown>>
  extras: TeamExtras
  source: Exclude<CardSource, 'auto_derived'>
}

export type Derivation = {
  card: TeamCard
  memberCount: number
  membersWithCards: number
  /** Of the active card; nothing when there is none, as may be with a preview. */
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

    /** For those who judge the team by it. */
    activeCard: async (db: Db, teamId: string): Promise<TeamCard | undefined> =>
      (await createTeamCardStore(db).findActive(teamId))?.card,

    ...changing(deps),

    /** With the team. */
    eraseTeam: (tx: Db, teamId: TeamId): Promise<void> => createTeamCardStore(tx).deleteOf(teamId),
  }
}

function changing(deps: TeamCardDeps) {
  return {
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
            'card_source: hybrid needs an active card that was derived, or is hybrid',
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

    /** From the members' cards as they are now. A preview saves nothing. */
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
  const message = `The members' cards come to more than ${DERIVED_BYTES_MAX} bytes together: shorten their definitions, or set a card by hand.`
  throw new Problem('invalid_request', message)
}

type Saving = {
  teamId: string
  orgId: string
  card: TeamCard
  source: CardSource
  actor: Actor
  active: StoredTeamCard | undefined
}

async function save(deps: TeamCardDeps, tx: Db, saving: Saving): Promise<StoredTeamCard> {
  const { teamId, orgId, source, actor, active } = saving
  const cardId = newId('ac')
  const issuedAt = deps.clock.now()
  const version = (active?.version ?? 0) + 1
  const card = { ...saving.card, card_id: cardId, issued_at: issuedAt.toISOString() }
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
    const told = { team_id: teamId, card_id: cardId, version, card_source: source }
    const data = { ...told, actor_id: actor.id }
    await deps.events.emit(tx, { type: 'team.card_updated', orgId, accountId, data })
  }
  return stored
}

/** Checked as an agent's card is; whatever is wrong with it is 400 here (03 §6). */
function accept(teamId: string, { blocks, extras }: TeamCardSubmission, now: Date): TeamCard {
  const outcome = validateCard({ card: blocks }, { agentId: teamId, now })
  if (outcome.valid) return { ...outcome.card, ...extras }
  const first = outcome.errors[0]
  const message =
    first === undefined ? 'The card is not valid.' : `${first.path.slice(1)}: ${first.message}`
  throw new Problem('invalid_request', message)
}

/** Here the ETag of version 2 is `"2"`; as elsewhere, `"v2"` is taken, too. */
function asVersionTag(ifMatch: string | undefined): string | undefined {
  return ifMatch?.replace(/"(\d+)"/g, '"v$1"')
}
