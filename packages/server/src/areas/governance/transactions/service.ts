import {
  isToolName,
  type MergedPolicy,
  mergeTransaction,
  type PolicyRules,
  type TransactionFault,
  type TransactionStatus,
  validateTransactionPolicy,
} from '@touchstone/protocol/policy'
import type { Actor, Audit } from '../../../audit.ts'
import { DAY_MS, later } from '../../../kernel/clock.ts'
import type { Page, PageRequest } from '../../../kernel/db.ts'
import { type Db, purgeInPages, transact } from '../../../kernel/db.ts'
import { type AgentId, newId } from '../../../kernel/ids.ts'
import { Problem } from '../../../kernel/problem.ts'
import { type CallTransactionDeps, createCallTransactions } from './call-transaction-service.ts'
import type { Agents, Containment, Policies } from './ports.ts'
import { createTransactionStore } from './store.ts'
import { chooseTeams, type TeamLayer, teamLayerName } from './team-layers.ts'
import {
  type ActionType,
  durationMs,
  type StoredTransaction,
  statusOf,
  type Transaction,
} from './transaction.ts'

/** spec: governance §3.3. */
const RETENTION_MS = 7 * DAY_MS

export type TransactionDeps = CallTransactionDeps & {
  audit: Audit
  agents: Agents
  policies: Policies
  containment: Containment
}

export type NewTransaction = {
  agentId: string
  description: string
  actionType: ActionType
  tools: readonly string[]
  durationHours: number
  /** The only team whose policy applies; if undefined, those of all teams of the agent do. */
  teamId: string | undefined
  /** A policy document, its `meta` optional. */
  policy: unknown
}

/** The status depends on the clock, so it is computed for each answer. */
export type WithStatus<T extends Transaction> = T & { status: TransactionStatus }

export type TransactionService = ReturnType<typeof createTransactionService>

export function createTransactionService(deps: TransactionDeps) {
  const store = createTransactionStore(deps.db)
  const callTransactions = createCallTransactions(deps)
  return {
    /** Refused unless the current policies allow every listed tool. */
    create: (
      orgId: string,
      input: NewTransaction,
      actor: Actor,
    ): Promise<WithStatus<StoredTransaction>> => create(deps, { orgId, input, actor }),

    /** Used by evaluations and decisions; cached until a change. */
    forCall: callTransactions.find,

    /** Does not check the tenant: only the route knows the caller. */
    async find(transactionId: string): Promise<WithStatus<StoredTransaction> | undefined> {
      const found = await store.find(transactionId)
      return found && withStatus(found, deps.clock.now())
    },

    async list(
      filter: { orgId: string; agentId: string | undefined; status: TransactionStatus | undefined },
      request: PageRequest,
    ): Promise<Page<WithStatus<Transaction>>> {
      const now = deps.clock.now()
      const page = await store.list({ ...filter, now }, request)
      return { ...page, items: page.items.map((item) => withStatus(item, now)) }
    },

    /** Succeeds once: of several concurrent calls, all but one get a conflict. */
    async complete(transactionId: string, actor: Actor): Promise<WithStatus<StoredTransaction>> {
      const completed = await transact(deps.db, async (tx) => {
        const transaction = await lockTransaction(tx, transactionId)
        const now = deps.clock.now()
        const status = statusOf(transaction, now)
        if (status !== 'active') throw new Problem('conflict', `The transaction is ${status}.`)
        await createTransactionStore(tx).setCompleted(transactionId, now)
        await callTransactions.invalidate(tx, transactionId)
        const change = { action: 'completed', from: status, to: 'completed' } as const
        await recordAudit(deps, tx, actor, { transaction, ...change })
        return { ...transaction, completedAt: now, status: 'completed' as const }
      })
      callTransactions.evict(transactionId)
      return completed
    },

    /** Deletes it in any status. To later calls it is unknown. */
    async remove(transactionId: string, actor: Actor): Promise<void> {
      await transact(deps.db, async (tx) => {
        const transaction = await lockTransaction(tx, transactionId)
        await createTransactionStore(tx).delete(transactionId)
        await callTransactions.invalidate(tx, transactionId)
        const from = statusOf(transaction, deps.clock.now())
        await recordAudit(deps, tx, actor, { transaction, action: 'deleted', from, to: null })
      })
      callTransactions.evict(transactionId)
    },

    /** Does not invalidate caches: a cached entry expires within a minute and has ended anyway. */
    async purge(): Promise<number> {
      const endedBy = later(deps.clock.now(), -RETENTION_MS)
      return purgeInPages((rowsMax) =>
        transact(deps.db, (tx) => createTransactionStore(tx).deleteEnded(endedBy, rowsMax)),
      )
    },

    /** Runs in the transaction that erases the agent. */
    async erase(tx: Db, agentId: AgentId): Promise<void> {
      await createTransactionStore(tx).deleteOfAgent(agentId)
      await callTransactions.invalidateAll(tx)
    },
  }
}

async function create(
  deps: TransactionDeps,
  { orgId, input, actor }: { orgId: string; input: NewTransaction; actor: Actor },
): Promise<WithStatus<StoredTransaction>> {
  const tools = validateTools(input.tools)
  const policy = validatePolicy(input.policy)
  const transactionId = newId('txn')
  return transact(deps.db, async (tx) => {
    const agent = { orgId, agentId: input.agentId }
    const teams = await admitAgent(deps, tx, agent, input.teamId)
    const resolved = await deps.policies.resolve(tx, agent)
    const layered = teams.filter((team) => team.policy !== undefined)
    const layers = {
      teams: rulesOf(layered),
      teamNames: layered.map(teamLayerName),
      own: policy,
      resolved: resolved?.policy,
    }
    const createdAt = deps.clock.now()
    const transaction: StoredTransaction = {
      transactionId,
      ...agent,
      tools,
      policy,
      createdAt,
      description: input.description,
      actionType: input.actionType,
      teamIds: teams.map(({ teamId }) => teamId),
      mergedPolicy: merge({ transactionId, tools, ...layers }, input.tools),
      expiresAt: later(createdAt, durationMs(input.durationHours)),
      completedAt: null,
    }
    await createTransactionStore(tx).insert(transaction)
    const change = { action: 'created', from: null, to: 'active' } as const
    await recordAudit(deps, tx, actor, { transaction, ...change })
    return { ...transaction, status: 'active' }
  })
}

/** Returns the teams that apply. Reports what is missing before what forbids the transaction. */
async function admitAgent(
  deps: TransactionDeps,
  tx: Db,
  agent: { orgId: string; agentId: string },
  teamId: string | undefined,
): Promise<TeamLayer[]> {
  const [found] = await deps.agents.describe(tx, [agent.agentId])
  if (found?.orgId !== agent.orgId) throw new Problem('not_found', 'No such agent.')
  const teams = chooseTeams(await deps.teams.layersOf(tx, agent), teamId)
  if (teams === undefined) throw new Problem('not_found', 'The agent is not in this team.')
  if (found.archived) {
    throw new Problem('conflict', 'The agent is archived and cannot begin a transaction.')
  }
  await deps.containment.assertFree(tx, agent)
  return teams
}

function rulesOf(teams: readonly TeamLayer[]): PolicyRules[] {
  return teams.flatMap(({ policy }) => policy ?? [])
}

function validateTools(tools: readonly string[]): string[] {
  const wrong = tools.findIndex((tool) => !isToolName(tool))
  if (wrong < 0) return [...new Set(tools)]
  const message = 'must be 1 to 256 characters without white space or control characters'
  throw new Problem('invalid_request', `tools/${wrong}: ${message}`, {
    details: [{ path: `/tools/${wrong}`, code: 'pattern', message }],
  })
}

function validatePolicy(input: unknown): PolicyRules | undefined {
  if (input === undefined) return undefined
  const outcome = validateTransactionPolicy(input)
  if (outcome.valid) return outcome.policy
  const details = outcome.errors.map((error) => ({ ...error, path: `/policy${error.path}` }))
  const first = details[0]
  const message =
    first === undefined ? 'The policy is not valid.' : `${first.path.slice(1)}: ${first.message}`
  throw new Problem(outcome.problem, message, { details })
}

/** `given` are the tools with duplicates, as in the request, for the paths of faults. */
function merge(
  layers: Parameters<typeof mergeTransaction>[0],
  given: readonly string[],
): MergedPolicy {
  const { policy, faults } = mergeTransaction(layers)
  const [first] = faults
  if (first === undefined) return policy
  const toDetail = ({ tool, problem, message }: TransactionFault) => ({
    path: `/tools/${given.indexOf(tool)}`,
    code: problem,
    message,
  })
  throw new Problem('validation_error', first.message, { details: faults.map(toDetail) })
}

function withStatus<T extends Transaction>(transaction: T, now: Date): WithStatus<T> {
  return { ...transaction, status: statusOf(transaction, now) }
}

async function lockTransaction(tx: Db, transactionId: string): Promise<StoredTransaction> {
  const transaction = await createTransactionStore(tx).lock(transactionId)
  if (transaction === undefined) throw transactionNotFound()
  return transaction
}

type AuditedChange = {
  transaction: Transaction
  action: 'created' | 'completed' | 'deleted'
  from: TransactionStatus | null
  to: TransactionStatus | null
}

/** Leaves out the description, because the audit log outlives the agent. */
function recordAudit(
  deps: TransactionDeps,
  tx: Db,
  actor: Actor,
  { transaction, action, from, to }: AuditedChange,
): Promise<void> {
  return deps.audit.record(tx, {
    orgId: transaction.orgId,
    action: `transaction.${action}`,
    actor,
    target: { type: 'transaction', id: transaction.transactionId },
    changes: { status: { from, to } },
  })
}

/** Also used for another organisation's transaction (spec: platform §1.2). */
export function transactionNotFound(): Problem {
  return new Problem('not_found', 'No such transaction.')
}
