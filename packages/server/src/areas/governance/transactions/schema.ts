import { type Static, Type } from 'typebox'
import { NamedEnum, NamedObject } from '../../../http/openapi/named.ts'
import {
  ContainmentRefusal,
  Nullable,
  PageFields,
  PageQuery,
  toPageFields,
} from '../../../http/wire.ts'
import type { Page } from '../../../kernel/db.ts'
import type { NewTransaction, WithStatus } from './service.ts'
import {
  ACTION_TYPES,
  STATUSES,
  type StoredTransaction,
  type Transaction as TransactionValue,
} from './transaction.ts'

const Id = Type.String({ minLength: 1, maxLength: 128 })

export const Refused = NamedObject('ContainmentProblem', ContainmentRefusal, {
  description:
    'Your role or the scope of your key does not allow this, or the agent is paused or killed',
})

/** spec: governance §3.1. */
const TOOLS_MAX = 100
const HOURS_MAX = 24
const HOURS_DEFAULT = 1

export const NewTransactionBody = NamedObject('NewTransaction', {
  agent_id: Id,
  description: Type.String({ minLength: 1, maxLength: 500 }),
  action_type: NamedEnum('TransactionActionType', [...ACTION_TYPES]),
  tools: Type.Array(Type.String(), {
    minItems: 1,
    maxItems: TOOLS_MAX,
    description: 'full names without * and ?, each of 1 to 256 characters',
  }),
  duration_hours: Type.Optional(
    Type.Number({ exclusiveMinimum: 0, maximum: HOURS_MAX, default: HOURS_DEFAULT }),
  ),
  team_id: Type.Optional(
    Type.String({
      ...Id,
      description: 'the team whose policy applies; by default those of all teams of the agent',
    }),
  ),
  policy: Type.Optional(
    Type.Unknown({ description: 'a policy document with further restrictions; meta is optional' }),
  ),
})

export const TransactionParams = Type.Object({ transaction_id: Type.String() })

export const TransactionQuery = Type.Object({
  agent_id: Type.Optional(Type.String()),
  status: Type.Optional(NamedEnum('TransactionStatus', [...STATUSES])),
  ...PageQuery.properties,
})

const Summary = NamedObject('TransactionSummary', {
  transaction_id: Type.String(),
  agent_id: Type.String(),
  description: Type.String(),
  action_type: NamedEnum('TransactionActionType', [...ACTION_TYPES]),
  status: NamedEnum('TransactionStatus', [...STATUSES]),
  tools: Type.Array(Type.String()),
  team_ids: Type.Array(Type.String()),
  created_at: Type.String(),
  expires_at: Type.String(),
  completed_at: Nullable(Type.String()),
})

export const Transaction = NamedObject('Transaction', {
  ...Summary.properties,
  merged_policy: Type.Record(Type.String(), Type.Unknown(), {
    description:
      'the policy that was merged from all layers at creation; each evaluation merges again',
  }),
})

export const TransactionPage = NamedObject('TransactionPage', {
  transactions: Type.Array(Summary),
  ...PageFields,
})

export function toNewTransaction(body: Static<typeof NewTransactionBody>): NewTransaction {
  return {
    agentId: body.agent_id,
    description: body.description,
    actionType: body.action_type,
    tools: body.tools,
    durationHours: body.duration_hours ?? HOURS_DEFAULT,
    teamId: body.team_id,
    policy: body.policy,
  }
}

export function toTransaction(of: WithStatus<StoredTransaction>): Static<typeof Transaction> {
  return { ...toSummary(of), merged_policy: of.mergedPolicy }
}

export function toTransactionPage(
  page: Page<WithStatus<TransactionValue>>,
): Static<typeof TransactionPage> {
  return {
    transactions: page.items.map(toSummary),
    ...toPageFields(page),
  }
}

function toSummary(of: WithStatus<TransactionValue>): Static<typeof Summary> {
  return {
    transaction_id: of.transactionId,
    agent_id: of.agentId,
    description: of.description,
    action_type: of.actionType,
    status: of.status,
    tools: [...of.tools],
    team_ids: [...of.teamIds],
    created_at: of.createdAt.toISOString(),
    expires_at: of.expiresAt.toISOString(),
    completed_at: of.completedAt?.toISOString() ?? null,
  }
}
