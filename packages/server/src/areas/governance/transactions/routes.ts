import type { FastifyRequest } from 'fastify'
import type { Operation } from '../../../access.ts'
import { actorOf, enterTenant, requireTenant } from '../../../http/access/guard.ts'
import { reaches } from '../../../http/identity/caller.ts'
import type { Server } from '../../../http/server.ts'
import { toPageRequest } from '../../../http/wire.ts'
import {
  NewTransactionBody,
  Refused,
  Transaction,
  TransactionPage,
  TransactionParams,
  TransactionQuery,
  toNewTransaction,
  toTransaction,
  toTransactionPage,
} from './schema.ts'
import { type TransactionService, transactionNotFound } from './service.ts'

const tags = ['transactions']

/** The size limit of a policy, which makes up most of the body (spec: governance §1.4). */
const BODY_BYTES_MAX = 262_144

const READ = { access: 'transactions.read', feature: 'intelligence', perMinute: 30 } as const
const MANAGE = { access: 'transactions.manage', feature: 'intelligence', perMinute: 30 } as const

/** The organisation is known only after the transaction is loaded. */
const BY_ID = { tenantFrom: 'handler' } as const

export function transactionRoutes(app: Server, transactions: TransactionService): void {
  collectionRoutes(app, transactions)
  singleRoutes(app, transactions)
}

function collectionRoutes(app: Server, transactions: TransactionService): void {
  app.post(
    '/v1/transactions',
    {
      bodyLimit: BODY_BYTES_MAX,
      config: { ...MANAGE, refuses: [404] },
      schema: {
        operationId: 'createTransaction',
        summary: 'Begin a transaction',
        description: 'Limits the agent to the listed tools until the transaction ends.',
        tags,
        body: NewTransactionBody,
        response: { 201: Transaction, 403: Refused },
      },
    },
    async (req, reply) => {
      const { orgId } = requireTenant(req)
      const created = await transactions.create(orgId, toNewTransaction(req.body), actorOf(req))
      return reply.code(201).send(toTransaction(created))
    },
  )

  app.get(
    '/v1/transactions',
    {
      config: READ,
      schema: {
        operationId: 'listTransactions',
        summary: 'List the transactions of your organisation',
        description: 'Newest first, without their merged policies.',
        tags,
        querystring: TransactionQuery,
        response: { 200: TransactionPage },
      },
    },
    async (req) => {
      const { agent_id: agentId, status } = req.query
      const filter = { orgId: requireTenant(req).orgId, agentId, status }
      return toTransactionPage(await transactions.list(filter, toPageRequest(req.query)))
    },
  )
}

function singleRoutes(app: Server, transactions: TransactionService): void {
  app.get(
    '/v1/transactions/:transaction_id',
    {
      config: { ...READ, ...BY_ID },
      schema: {
        operationId: 'getTransaction',
        summary: 'Get a transaction',
        tags,
        params: TransactionParams,
        response: { 200: Transaction },
      },
    },
    async (req) =>
      toTransaction(await enterOwn(req, transactions, req.params.transaction_id, READ.access)),
  )

  app.post(
    '/v1/transactions/:transaction_id/complete',
    {
      config: { ...MANAGE, ...BY_ID },
      schema: {
        operationId: 'completeTransaction',
        summary: 'Complete an active transaction',
        tags,
        params: TransactionParams,
        response: { 200: Transaction },
      },
    },
    async (req) => {
      const { transaction_id: id } = req.params
      await enterOwn(req, transactions, id, MANAGE.access)
      return toTransaction(await transactions.complete(id, actorOf(req)))
    },
  )

  app.delete(
    '/v1/transactions/:transaction_id',
    {
      config: { ...MANAGE, ...BY_ID },
      schema: {
        operationId: 'deleteTransaction',
        summary: 'Delete a transaction',
        description: 'Whatever its status.',
        tags,
        params: TransactionParams,
      },
    },
    async (req, reply) => {
      const { transaction_id: id } = req.params
      await enterOwn(req, transactions, id, MANAGE.access)
      await transactions.remove(id, actorOf(req))
      return reply.code(204).send(null)
    },
  )
}

/** Another organisation's transaction gets the same answer as a missing one (spec: platform §1.2). */
async function enterOwn(
  req: FastifyRequest,
  transactions: TransactionService,
  transactionId: string,
  operation: Operation,
) {
  const found = await transactions.find(transactionId)
  if (found === undefined || !reaches(req.caller, found)) throw transactionNotFound()
  enterTenant(req, found.orgId, operation, found.agentId)
  return found
}
