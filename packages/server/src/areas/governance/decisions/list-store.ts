import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import { firstUuidAt } from '../../../kernel/ids.ts'
import type { DecisionFilter, DecisionPage } from './decision-filter.ts'
import type { StoredDecision } from './decision-record.ts'
import { type DecisionRow, type SignedRow, toStored, toUuid } from './decision-row.ts'

/** Up to this many kinds, each is read from the index by kind, without looking at other decisions. */
const KINDS_FEW = 64
/** More kinds than this are not read one by one. */
const KINDS_MAX = 5000
/** Newest decisions to look at per kind, before the kinds are read one by one. */
const PROBED_PER_KIND = 10
const PROBED_MAX = 50_000

/**
 * The newest decisions that match. The cost must not grow with the number of decisions, however few of
 * them match, and no single plan does that: the planner knows neither the correlation of the shared
 * columns nor that the newest rows suffice. So the way is chosen here (ADR 0035):
 *
 * - a session, call or escalation: its own index;
 * - no shared column: the primary key, backwards;
 * - few matching kinds: the newest decisions of each, merged;
 * - many matching kinds: a bounded piece of the primary key, and if that is not enough, as with few.
 */
export async function listDecisions(
  db: Db,
  filter: DecisionFilter,
  page: DecisionPage,
): Promise<StoredDecision[]> {
  const query: Query = {
    db,
    orgId: filter.orgId,
    limit: page.limit,
    bounds: boundsOf(filter, page),
  }
  const kinds = kindTerms(filter)
  const own = ownTerms(filter)
  if (own.length > 0) return readPage(query, selectOwn(query, [...own, ...kinds]))
  if (kinds.length === 0) return readPage(query, selectNewest(query, page.limit))
  const ids = await kindIds(query, kinds)
  if (ids.length === 0) return []
  if (ids.length > KINDS_FEW) {
    const probed = Math.min(PROBED_MAX, ids.length * PROBED_PER_KIND)
    const found = await readPage(query, selectProbed(query, kinds, probed))
    if (found.length === page.limit) return found
  }
  if (ids.length > KINDS_MAX) return readPage(query, selectProbed(query, kinds, undefined))
  return readPage(query, selectByKind(query, ids))
}

type Query = {
  db: Db
  orgId: string
  limit: number
  /** Conditions on the id of the decision. */
  bounds: readonly RawBuilder<unknown>[]
}

/** Joins the selected decisions with their kinds; the batches follow, each once. */
async function readPage(
  { db, orgId }: Query,
  selected: RawBuilder<unknown>,
): Promise<StoredDecision[]> {
  const { rows } = await sql<DecisionRow & { batch_id: string }>`
    with page as materialized (${selected})
    select page.*, k.agent_id, k.tool, k.decision, k.reasons, k.verdict, k.enforcement_mode,
      k.agent_enforcement_mode, k.policy_id, k.policy_version, k.asked_by, k.source, k.enforced,
      k.outcome, k.bypassed
    from page join decision_kind k on k.org_id = ${orgId} and k.kind_id = page.kind_id
    order by page.decision_id desc`.execute(db)
  if (rows.length === 0) return []
  const batchIds = [...new Set(rows.map((row) => row.batch_id))]
  const batches = await sql<Omit<SignedRow, keyof DecisionRow> & { batch_id: string }>`
    select batch_id, signed_at, key_id, signature, leaves from decision_batch
    where org_id = ${orgId} and batch_id = any(${batchIds}::uuid[])`.execute(db)
  const byId = new Map(batches.rows.map((batch) => [batch.batch_id, batch]))
  // A batch is missing only if its organisation was erased between the two statements.
  return rows.flatMap((row) => {
    const batch = byId.get(row.batch_id)
    return batch === undefined ? [] : [toStored({ ...row, ...batch })]
  })
}

function selectNewest({ orgId, bounds }: Query, limit: number): RawBuilder<unknown> {
  return sql`select * from decision d where ${all([sql`d.org_id = ${orgId}`, ...bounds])}
    order by d.decision_id desc limit ${limit}`
}

/** The terms contain the organisation; the primary key is no choice for the planner. */
function selectOwn(query: Query, terms: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  const { orgId, limit, bounds } = query
  return sql`select d.* from decision d
    join decision_kind k on k.org_id = ${orgId} and k.kind_id = d.kind_id
    where ${all([sql`d.org_id || '' = ${orgId}`, ...terms, ...bounds])}
    order by d.decision_id desc limit ${limit}`
}

/** Looks at the newest decisions only, or at all. */
function selectProbed(
  query: Query,
  kinds: readonly RawBuilder<unknown>[],
  probed: number | undefined,
): RawBuilder<unknown> {
  const newest =
    probed === undefined
      ? sql`select * from decision d where ${all([sql`d.org_id = ${query.orgId}`, ...query.bounds])}`
      : selectNewest(query, probed)
  return sql`select d.* from (${newest}) d
    join decision_kind k on k.org_id = ${query.orgId} and k.kind_id = d.kind_id
    where ${all(kinds)} order by d.decision_id desc limit ${query.limit}`
}

/**
 * The newest decision of each kind tells which kinds can be on the page: at most as many as it has rows.
 * If there are as many, nothing older than the oldest of these decisions is on it.
 */
function selectByKind(query: Query, kindIds: readonly number[]): RawBuilder<unknown> {
  const { orgId, limit, bounds } = query
  const ofKind = (kind: RawBuilder<unknown>) =>
    all([sql`d.org_id = ${orgId}`, sql`d.kind_id = ${kind}`, ...bounds])
  return sql`with head as materialized (
      select kind_id, newest.decision_id
      from unnest(${kindIds}::integer[]) as kind (kind_id)
      cross join lateral (
        select d.decision_id from decision d where ${ofKind(sql`kind.kind_id`)}
        order by d.decision_id desc limit 1) as newest
      order by newest.decision_id desc limit ${limit}),
    oldest as materialized (
      select case when count(*) = ${limit} then (array_agg(decision_id order by decision_id))[1]
        else '00000000-0000-0000-0000-000000000000'::uuid end as decision_id from head),
    id as materialized (
      select found.decision_id from head cross join oldest
      cross join lateral (
        select d.decision_id from decision d where ${ofKind(sql`head.kind_id`)}
          and d.decision_id >= oldest.decision_id
        order by d.decision_id desc limit ${limit}) as found
      order by found.decision_id desc limit ${limit})
    select d.* from decision d
    where d.org_id = ${orgId} and d.decision_id = any(array(select decision_id from id))`
}

async function kindIds(
  { db, orgId }: Query,
  kinds: readonly RawBuilder<unknown>[],
): Promise<number[]> {
  const { rows } = await sql<{ kind_id: number }>`select k.kind_id from decision_kind k
    where ${all([sql`k.org_id = ${orgId}`, ...kinds])} limit ${KINDS_MAX + 1}`.execute(db)
  return rows.map((row) => row.kind_id)
}

function all(terms: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  return sql.join(terms, sql` and `)
}

function boundsOf(filter: DecisionFilter, page: DecisionPage): RawBuilder<unknown>[] {
  const bounds: RawBuilder<unknown>[] = []
  if (page.before !== undefined) bounds.push(sql`d.decision_id < ${toUuid(page.before)}::uuid`)
  if (filter.from !== undefined) {
    bounds.push(sql`d.decision_id >= ${firstUuidAt(filter.from.getTime())}::uuid`)
  }
  if (filter.to !== undefined) {
    bounds.push(sql`d.decision_id < ${firstUuidAt(filter.to.getTime())}::uuid`)
  }
  return bounds
}

/** Conditions on columns that have an index of their own. */
function ownTerms(filter: DecisionFilter): RawBuilder<unknown>[] {
  const { orgId, sessionId, callId, escalationId } = filter
  const terms: RawBuilder<unknown>[] = []
  if (sessionId !== undefined) {
    terms.push(sql`hashtextextended(d.org_id || ' ' || d.session_id, 0)
      = hashtextextended(${`${orgId} ${sessionId}`}, 0) and d.session_id = ${sessionId}`)
  }
  if (callId !== undefined) {
    terms.push(sql`hashtextextended(d.org_id || ' ' || d.call_id, 0)
      = hashtextextended(${`${orgId} ${callId}`}, 0) and d.call_id = ${callId}`)
  }
  if (escalationId !== undefined) {
    terms.push(sql`d.org_id = ${orgId} and d.escalation_id = ${escalationId}`)
  }
  return terms
}

function kindTerms(filter: DecisionFilter): RawBuilder<unknown>[] {
  const terms: RawBuilder<unknown>[] = []
  const { agentId, tool, decisions, source, policyId, outcome } = filter
  if (agentId !== undefined) terms.push(sql`k.agent_id = ${agentId}`)
  if (tool?.endsWith('*')) terms.push(sql`starts_with(k.tool, ${tool.slice(0, -1)})`)
  else if (tool !== undefined) terms.push(sql`k.tool = ${tool}`)
  if (decisions !== undefined) terms.push(sql`k.decision = any(${decisions})`)
  if (source !== undefined) terms.push(sql`k.source = ${source}`)
  if (policyId !== undefined) terms.push(sql`k.policy_id = ${policyId}`)
  if (outcome === 'none') terms.push(sql`k.outcome is null`)
  else if (outcome === 'bypassed') terms.push(sql`k.bypassed`)
  else if (outcome !== undefined) terms.push(sql`k.outcome = ${outcome}`)
  return terms
}
