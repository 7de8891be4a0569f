import { randomBytes } from 'node:crypto'
import type { Finding } from '@touchstone/protocol/base'
import {
  type AlignmentCard,
  type CardPlace,
  type ConscienceValue,
  defaultCard,
  validateCard,
} from '@touchstone/protocol/cards'
import type { Actor, Audit } from '../../../audit.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Page, PageRequest } from '../../../kernel/db.ts'
import { type Db, isUniqueViolation, transact } from '../../../kernel/db.ts'
import { type AgentId, newId } from '../../../kernel/ids.ts'
import { assertPrecondition, Problem } from '../../../kernel/problem.ts'
import { changedFields, sameCard } from './amendment.ts'
import { type AmendmentInContext, findAmendment } from './amendment-service.ts'
import {
  type AmendmentCursor,
  type AmendmentRange,
  createAmendmentStore,
  type StoredAmendment,
} from './amendment-store.ts'
import {
  effectiveCard,
  effectiveDocument,
  effectiveValues,
  type Layer,
  stampOf,
  templateStamp,
  valuesOfOrg,
} from './effective-card.ts'
import { mergePatch } from './merge-patch.ts'
import type { Agents, OrgValues, Templates } from './ports.ts'
import { createCardStore, type StoredCard } from './store.ts'

/** A card as submitted, with its conscience values and the reason for the change. */
export type Submission = { card: unknown; conscienceValues?: unknown; reason?: string | undefined }

export type CardChange = {
  updated: boolean
  stored: StoredCard
  amendmentIds: readonly string[]
  warnings: readonly Finding[]
}

const FIRST_VERSION = 1

export type CardDeps = {
  db: Db
  clock: Clock
  audit: Audit
  agents: Agents
  templates: Templates
  orgValues: OrgValues
}

type AgentOf = { orgId: string; agentId: string }

export type CardService = ReturnType<typeof createCardService>

export function createCardService(deps: CardDeps) {
  const reads = createReads(deps)
  const composed = createComposedReads(deps)
  const changes = createChanges(deps)
  return {
    get: reads.get,
    activeCards: reads.activeCards,
    activeValues: reads.activeValues,
    declared: reads.declared,
    history: reads.history,
    listAmendments: reads.listAmendments,
    amendmentsAfter: reads.amendmentsAfter,
    lastAmendedVersion: reads.lastAmendedVersion,
    amendmentsWithin: reads.amendmentsWithin,
    findAmendment: composed.findAmendment,
    validate: reads.validate,

    findForTrace: composed.findForTrace,
    layerStamp: composed.layerStamp,
    forAnalysis: composed.forAnalysis,
    accept: composed.accept,

    createFirst: changes.createFirst,
    replace: changes.replace,
    patch: changes.patch,

    erase: (tx: Db, agentId: AgentId): Promise<void> => createCardStore(tx).deleteOfAgent(agentId),
  }
}

function createReads(deps: CardDeps) {
  const store = createCardStore(deps.db)
  return {
    /**
     * A version, or the active one. Outsiders see fewer fields, see `own`, and never the composed
     * card.
     */
    async get(
      agentId: string,
      orgIds: readonly string[],
      wanted: { version?: number | undefined; effective?: boolean | undefined } = {},
    ): Promise<CardReading> {
      const { agent, own } = await deps.agents.get(agentId, orgIds)
      const stored = await store.find(agentId, wanted.version ?? agent.cardVersion)
      if (stored === undefined) throw new Problem('not_found', 'No such version of the card.')
      const isActive = stored.version === agent.cardVersion
      if (!own || wanted.effective !== true) return { stored, own, isActive, isComposed: false }
      const layer = await layerOf(deps, deps.db, { orgId: agent.orgId, agentId })
      return { stored: effectiveDocument(layer, stored), own, isActive, isComposed: true }
    },

    /** The cards that the agents declare, in order of agent id, without expired ones. */
    activeCards: (db: Db, agentIds: readonly string[]) =>
      createCardStore(db).listActive(agentIds, deps.clock.now()),
    activeValues: (db: Db, agentIds: readonly string[]) =>
      createCardStore(db).listActiveValues(agentIds, deps.clock.now()),

    /** The cards that the agents declared, by agent id, including expired ones. */
    declared: (
      wanted: readonly { agentId: string; version: number }[],
    ): Promise<Map<string, AlignmentCard>> => store.listCards(wanted),

    history: (agentId: string, page: PageRequest): Promise<Page<StoredCard>> =>
      store.list(agentId, page),

    listAmendments: (agentId: string, page: PageRequest): Promise<Page<StoredAmendment>> =>
      createAmendmentStore(deps.db).list(agentId, page),

    /** Oldest first. */
    amendmentsAfter: (
      span: AmendmentRange,
      after: AmendmentCursor | undefined,
      limit: number,
    ): Promise<StoredAmendment[]> => createAmendmentStore(deps.db).listAfter(span, after, limit),

    lastAmendedVersion: (agentId: string): Promise<number> =>
      createAmendmentStore(deps.db).lastVersion(agentId),

    /** The amendments made within any of these periods, oldest first. */
    amendmentsWithin: (
      agentId: string,
      periods: readonly { from: Date; to: Date }[],
    ): Promise<StoredAmendment[]> =>
      periods.length === 0
        ? Promise.resolve([])
        : createAmendmentStore(deps.db).listWithin(agentId, periods),

    /** Stores nothing. */
    async validate(agent: AgentOf, submission: Submission) {
      const { card, conscienceValues } = submission
      const outcome = validateCard({ card, conscienceValues }, await placeOf(deps, deps.db, agent))
      const { valid, errors, warnings } = outcome
      return { valid, errors, warnings }
    },
  }
}

/** Cards composed with the organisation's template and values, for judging what an agent did. */
function createComposedReads(deps: CardDeps) {
  return {
    /**
     * The named card; without a name, the one active at that time or else the first. An unknown name
     * yields the active card with `named: false`.
     */
    async findForTrace(
      db: Db,
      wanted: AgentOf & { cardId: string | undefined; at: Date },
    ): Promise<{ cardId: string; card: AlignmentCard; named: boolean }> {
      const { agentId, cardId, at } = wanted
      const store = createCardStore(db)
      const found =
        cardId === undefined
          ? ((await store.findActive(agentId, at)) ?? (await store.find(agentId, FIRST_VERSION)))
          : await store.findById(agentId, cardId)
      const stored = found ?? (await store.findActive(agentId))
      if (stored === undefined) throw new Error(`agent ${agentId} has no card`)
      const card = effectiveCard(await layerOf(deps, db, wanted), stored.card)
      return { cardId: stored.cardId, card, named: found !== undefined }
    },

    findAmendment: async (
      db: Db,
      wanted: AgentOf & { amendmentId: string; activeVersion: number },
    ): Promise<AmendmentInContext | undefined> =>
      findAmendment(db, wanted, await layerOf(deps, db, wanted)),

    layerStamp: async (agent: AgentOf): Promise<string> =>
      stampOf(await layerOf(deps, deps.db, agent)),

    /** The rules that the agent's decisions are checked against. */
    async forAnalysis(wanted: AgentOf & { version: number }) {
      const { agentId, version } = wanted
      const layer = await layerOf(deps, deps.db, wanted)
      const stored = await createCardStore(deps.db).find(agentId, version)
      if (stored === undefined) throw new Error(`agent ${agentId} has no card ${version}`)
      return {
        cardId: stored.cardId,
        declared: stored.card,
        card: effectiveCard(layer, stored.card),
        values: effectiveValues(layer, stored.conscienceValues),
        templateVersion: layer.templateVersion,
        templateStamp: templateStamp(layer),
        layerStamp: stampOf(layer),
      }
    },

    /** Composes a card without storing it. Throws a Problem that lists its faults. */
    async accept(agent: AgentOf, card: unknown): Promise<AlignmentCard> {
      const layer = await layerOf(deps, deps.db, agent)
      const place = { agentId: agent.agentId, now: deps.clock.now() }
      return effectiveCard(layer, accept(splitSubmission(card), place).card)
    },
  }
}

export type CardReading = {
  stored: StoredCard
  own: boolean
  isActive: boolean
  /** Composed with the organisation's template, so it differs from the stored version. */
  isComposed: boolean
}

async function layerOf({ templates, orgValues }: CardDeps, db: Db, agent: AgentOf): Promise<Layer> {
  const { version: templateVersion, template } = await templates.inForce(db, agent)
  return { templateVersion, template, ...(await orgValues.inForce(db, agent.orgId)) }
}

async function placeOf(deps: CardDeps, db: Db, agent: AgentOf): Promise<CardPlace> {
  const orgValues = valuesOfOrg(await layerOf(deps, db, agent))
  return { agentId: agent.agentId, now: deps.clock.now(), orgValues }
}

function createChanges(deps: CardDeps) {
  const change = async (
    agentId: string,
    expected: string | undefined,
    actor: Actor,
    submit: (before: StoredCard) => Submission,
  ): Promise<CardChange> => {
    const changed = await transact(deps.db, async (tx) => {
      const agent = await deps.agents.lockForCard(tx, agentId)
      const before = await createCardStore(tx).find(agentId, agent.cardVersion)
      if (before === undefined) throw new Error(`agent ${agentId} has no card`)
      assertPrecondition({ ifMatch: expected }, before.version)
      return save(deps, tx, { before, submission: submit(before), actor, orgId: agent.orgId })
    })
    deps.agents.cardSet(agentId)
    return changed
  }
  return {
    async createFirst(tx: Db, input: AgentOf & { card: unknown; actor: Actor }) {
      const now = deps.clock.now()
      const { agentId, actor } = input
      const submission = splitSubmission(input.card ?? defaultCard(agentId, now))
      const checked = accept(submission, await placeOf(deps, tx, input))
      const cardId = await chooseCardId(tx, agentId, checked.card)
      const stored = newVersion(checked, { agentId, cardId, version: FIRST_VERSION, now, actor })
      await insertCard(tx, { ...stored, reason: submission.reason ?? 'agent registered' })
      return { cardId, version: FIRST_VERSION, warnings: checked.warnings }
    },

    replace: (input: {
      agentId: string
      submission: Submission
      expected: string | undefined
      actor: Actor
    }) =>
      change(input.agentId, input.expected, input.actor, (before) => ({
        conscienceValues: before.conscienceValues,
        ...input.submission,
      })),

    /** Patches the card as in RFC 7396 and replaces the conscience values as a whole. */
    patch: (input: {
      agentId: string
      patch: { card?: unknown; conscienceValues?: unknown; reason?: string | undefined }
      expected: string | undefined
      actor: Actor
    }) =>
      change(input.agentId, input.expected, input.actor, (before) => ({
        card: patched(before.card, input.patch.card),
        conscienceValues: input.patch.conscienceValues ?? before.conscienceValues,
        reason: input.patch.reason,
      })),
  }
}

/** Without card_id and issued_at, so that they are generated unless the patch sets them. */
function patched(card: AlignmentCard, patch: unknown): unknown {
  if (patch === undefined) return card
  const { card_id: _, issued_at: __, ...kept } = card
  return mergePatch(kept, patch)
}

type Saving = { before: StoredCard; submission: Submission; actor: Actor; orgId: string }

async function save(deps: CardDeps, tx: Db, saving: Saving): Promise<CardChange> {
  const { before, submission, actor, orgId } = saving
  const { agentId } = before
  const now = deps.clock.now()
  const checked = accept(submission, await placeOf(deps, tx, { orgId, agentId }))
  if (sameCard(before, checked)) {
    return { updated: false, stored: before, amendmentIds: [], warnings: checked.warnings }
  }
  const cardId = await chooseCardId(tx, agentId, checked.card)
  const fields = changedFields(before, checked)
  const stored = {
    ...newVersion(checked, { agentId, cardId, version: before.version + 1, now, actor }),
    reason: submission.reason ?? 'card updated',
    changedFields: fields.map(({ field }) => field),
  }
  await insertCard(tx, stored)
  const amendments = fields.map((field) => ({ ...field, amendmentId: newAmendmentId() }))
  await createCardStore(tx).insertAmendments(stored, amendments)
  await deps.agents.setCard(tx, agentId, { cardId, version: stored.version })
  await deps.audit.record(tx, {
    orgId,
    action: 'card.updated',
    actor,
    target: { type: 'agent', id: agentId },
    changes: { version: { from: before.version, to: stored.version } },
  })
  const amendmentIds = amendments.map(({ amendmentId }) => amendmentId)
  return { updated: true, stored, amendmentIds, warnings: checked.warnings }
}

type Checked = {
  card: AlignmentCard
  conscienceValues: readonly ConscienceValue[]
  warnings: readonly Finding[]
}

function accept(submission: Submission, place: CardPlace): Checked {
  const { card, conscienceValues } = submission
  const outcome = validateCard({ card, conscienceValues }, place)
  if (outcome.valid) return outcome
  const first = outcome.errors[0]
  const message =
    first === undefined ? 'The card is not valid.' : `card${first.path}: ${first.message}`
  throw new Problem(outcome.problem, message, { details: outcome.errors })
}

/** A given id that an older version has is replaced; one of another agent is a conflict. */
async function chooseCardId(tx: Db, agentId: string, card: AlignmentCard): Promise<string> {
  if (card.card_id === undefined) return newId('ac')
  const holder = await createCardStore(tx).agentOfCard(card.card_id)
  if (holder === undefined) return card.card_id
  if (holder === agentId) return newId('ac')
  throw new Problem('conflict', `The card id ${card.card_id} belongs to another agent.`)
}

function newVersion(
  checked: Checked,
  at: { agentId: string; cardId: string; version: number; now: Date; actor: Actor },
): StoredCard {
  return {
    agentId: at.agentId,
    version: at.version,
    cardId: at.cardId,
    card: { ...checked.card, card_id: at.cardId },
    conscienceValues: checked.conscienceValues,
    reason: '',
    changedFields: [],
    issuedAt: new Date(checked.card.issued_at),
    createdAt: at.now,
    createdBy: at.actor.userId,
  }
}

async function insertCard(tx: Db, stored: StoredCard): Promise<void> {
  try {
    await createCardStore(tx).insert(stored)
  } catch (err) {
    if (!isUniqueViolation(err)) throw err
    throw new Problem('conflict', 'The agent or card id is taken.', { cause: err })
  }
}

/** Accepts a bare card, or one wrapped in card_json with conscience values and reason. */
export function splitSubmission(body: unknown): Submission {
  if (typeof body !== 'object' || body === null || !('card_json' in body)) return { card: body }
  const conscienceValues = 'conscience_values' in body ? body.conscience_values : undefined
  const reason = 'reason' in body ? body.reason : undefined
  return {
    card: body.card_json,
    ...(conscienceValues === undefined ? {} : { conscienceValues }),
    ...(typeof reason === 'string' ? { reason: reason.slice(0, 500) } : {}),
  }
}

function newAmendmentId(): string {
  return `amend-${randomBytes(8).toString('hex')}`
}
