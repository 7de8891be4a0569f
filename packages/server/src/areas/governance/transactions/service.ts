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
import { createNamedTransactions, type NamedDeps, type NamedTransactions } from './named-service.ts'
import type { Agents, Containment, Policies } from './ports.ts'
import { createTransactionStore } from './store.ts'
import { chooseTeams, type TeamLayer } from './team-layers.ts'
import {
  type ActionType,
  durationMs,
  type StoredTransaction,
  statusOf,
  type Transaction,
} from './transaction.ts'

/** spec: governance §3.3. */
const KEPT_MS = 7 * DAY_MS

export type TransactionDeps = NamedDeps & {
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
  /** Only this team's policy narrows it; without, those of all teams of the agent. */
  teamId: string | undefined
  /** A policy document, its `meta` optional. */
  policy: unknown
}

/** The status is that of the time of the answer. */
export type Dated<T extends Transaction> = T & { status: TransactionStatus }

export type TransactionService = ReturnType<typeof createTransactionService>

export function createTransactionService(deps: TransactionDeps) {
  const named = createNamedTransactions(deps)
  return {
    ...creating(deps),
    ...reading(deps),
    ...changing(deps, named),
    ...ending(deps, named),
    /** For evaluations and decisions: from memory, unless something changed. */
    forCall: named.find,
  }
}

function creating(deps: TransactionDeps) {
  return {
    /** Refused unless every tool may be used for it as the policies stand now. */
    async create(
      orgId: string,
      input: NewTransaction,
      actor: Actor,
    ): Promise<Dated<StoredTransaction>> {
      const tools = acceptTools(input.tools)
      const policy = acceptPolicy(input.policy)
      const transactionId = newId('txn')
      return transact(deps.db, async (tx) => {
        const agent = { orgId, agentId: input.agentId }
        const teams = await admit(deps, tx, agent, input.teamId)
        const resolved = await deps.policies.resolve(tx, agent)
        const layers = { teams: rulesOf(teams), own: policy, resolved: resolved?.policy }
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
        await record(deps, tx, actor, { transaction, action: 'created', from: null, to: 'active' })
        return { ...transaction, status: 'active' }
      })
    },
  }
}

/** The teams that narrow it. First whatever may be missing, then whatever may forbid it. */
async function admit(
  deps: TransactionDeps,
  tx: Db,
  agent: { orgId: string; agentId: string },
  teamId: string | undefined,
): Promise<TeamLayer[]> {
  const [found] = await deps.agents.describe(tx, [agent.agentId])
  if (found?.orgId !== agent.orgId) throw new Problem('not_found', 'No such agent.')
  const teams = chooseTeams(await deps.teams.layersOf(tx, agent), teamId)
  if (teams === undefined) throw new Problem('not_found', 'The agent is in no such team.')
  if (found.archived) {
    throw new Problem('conflict', 'The agent is archived; it cannot begin anything any more.')
  }
  await deps.containment.assertFree(tx, agent)
  return teams
}

function rulesOf(teams: readonly TeamLayer[]): PolicyRules[] {
  return teams.flatMap(({ policy }) => policy ?? [])
}

function acceptTools(tools: readonly string[]): string[] {
  const wrong = tools.findIndex((tool) => !isToolName(tool))
  if (wrong < 0) return [...new Set(tools)]
  const message = 'must be 1 to 256 characters without white space or control characters'
  throw new Problem('invalid_request', `tools/${wrong}: ${message}`, {
    details: [{ path: `/tools/${wrong}`, code: 'pattern', message }],
  })
}

function acceptPolicy(input: unknown): PolicyRules | undefined {
  if (input === undefined) return undefined
  const outcome = validateTransactionPolicy(input)
  if (outcome.valid) return outcome.policy
  const details = outcome.errors.map((error) => ({ ...error, path: `/policy${error.path}` }))
  const first = details[0]
  const message =
    first === undefined ? 'The policy is not valid.' : `${first.path.slice(1)}: ${first.message}`
  throw new Problem(outcome.problem, message, { details })
}

/** `asked` are the tools as they were given, for the places of faults. */
function merge(
  layers: Parameters<typeof mergeTransaction>[0],
  asked: readonly string[],
): MergedPolicy {
  const { policy, faults } = mergeTransaction(layers)
  const [first] = faults
  if (first === undefined) return policy
  const toDetail = ({ tool, problem, message }: TransactionFault) => ({
    path: `/tools/${asked.indexOf(tool)}`,
    code: problem,
    message,
  })
  throw new Problem('validation_error', first.message, { details: faults.map(toDetail) })
}

function reading(deps: TransactionDeps) {
  const store = createTransactionStore(deps.db)
  const dated = <T extends Transaction>(transaction: T, now: Date): Dated<T> => ({
    ...transaction,
    status: statusOf(transaction, now),
  })
  return {
    /** Whose it is decides the caller's side, which alone knows who asks. */
    async find(transactionId: string): Promise<Dated<StoredTransaction> | undefined> {
      const found = await store.find(transactionId)
      return found && dated(found, deps.clock.now())
    },

    async list(
      filter: { orgId: string; agentId: string | undefined; status: TransactionStatus | undefined },
      request: PageRequest,
    ): Promise<Page<Dated<Transaction>>> {
      const now = deps.clock.now()
      const page = await store.list({ ...filter, now }, request)
      return { ...page, items: page.items.map((item) => dated(item, now)) }
    },
  }
}

function changing(deps: TransactionDeps, named: NamedTransactions) {
  return {
    /** Once: of several at the same time one succeeds. */
    async complete(transactionId: string, actor: Actor): Promise<Dated<StoredTransaction>> {
      const done = await transact(deps.db, async (tx) => {
        const store = createTransactionStore(tx)
        const transaction = await store.lock(transactionId)
        if (transaction === undefined) throw noTransaction()
        const now = deps.clock.now()
        const status = statusOf(transaction, now)
        if (status !== 'active') throw new Problem('conflict', `The transaction is ${status}.`)
        await store.setCompleted(transactionId, now)
        await named.tell(tx, transactionId)
        const change = { action: 'completed', from: status, to: 'completed' } as const
        await record(deps, tx, actor, { transaction, ...change })
        return { ...transaction, completedAt: now, status: 'completed' as const }
      })
      named.forget(transactionId)
      return done
    },

    /** In any status. Calls that name it afterwards are answered as for an unknown one. */
    async remove(transactionId: string, actor: Actor): Promise<void> {
      await transact(deps.db, async (tx) => {
        const store = createTransactionStore(tx)
        const transaction = await store.lock(transactionId)
        if (transaction === undefined) throw noTransaction()
        await store.delete(transactionId)
        await named.tell(tx, transactionId)
        const from = statusOf(transaction, deps.clock.now())
        await record(deps, tx, actor, { transaction, action: 'deleted', from, to: null })
      })
      named.forget(transactionId)
    },
  }
}

function ending(deps: TransactionDeps, named: NamedTransactions) {
  return {
    /** What has been over for a week. In memory it may last a minute longer, over as it is. */
    async purge(): Promise<number> {
      const overBy = later(deps.clock.now(), -KEPT_MS)
      return purgeInPages((rowsMax) =>
        transact(deps.db, (tx) => createTransactionStore(tx).deleteOver(overBy, rowsMax)),
      )
    },

    /** With the agent. */
    async erase(tx: Db, agentId: AgentId): Promise<void> {
      await createTransactionStore(tx).deleteOfAgent(agentId)
      await named.tellAll(tx)
    },
  }
}

type Recorded = {
  transaction: Transaction
  action: 'created' | 'completed' | 'deleted'
  from: TransactionStatus | null
  to: TransactionStatus | null
}

/** Without the description: the log outlives the agent it speaks of. */
function record(
  deps: TransactionDeps,
  tx: Db,
  actor: Actor,
  { transaction, action, from, to }: Recorded,
): Promise<void> {
  return deps.audit.record(tx, {
    orgId: transaction.orgId,
    action: `transaction.${action}`,
    actor,
    target: { type: 'transaction', id: transaction.transactionId },
    changes: { status: { from, to } },
  })
}

/** Also for another organisation's: it is answered exactly like a missing one (spec: platform §1.2). */
export function noTransaction(): Problem {
  return new Problem('not_found', 'No such transaction.')
}
