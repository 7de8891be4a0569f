import type { FastifyReply, FastifyRequest } from 'fastify'
import { enterTenant, memberOrgIds, requireTenant } from '../../../http/access/guard.ts'
import { reaches } from '../../../http/identity/caller.ts'
import type { Server } from '../../../http/server.ts'
import { AgentParams, toPageRequest } from '../../../http/wire.ts'
import { Problem } from '../../../kernel/problem.ts'
import { recordSourceOf } from '../../../record-origin.ts'
import type { Ingested } from './ingest-service.ts'
import {
  AgentTraceBody,
  AgentTraceQuery,
  BatchBody,
  BatchResult,
  readItem,
  Trace,
  TraceBody,
  TracePage,
  TraceParams,
  TraceQuery,
  toBatchResult,
  toFilter,
  toInput,
  toTrace,
  toTracePage,
  toVerdict,
  Verdict,
  VerifyBody,
} from './schema.ts'
import type { TraceService } from './service.ts'

const tags = ['traces']

/** For single and batch POSTs (spec: platform §1.4). */
const BYTES_MAX = 5 * 1024 * 1024

/**
 * If the body names the agent, the caller still acts for one organisation and finds only its
 * agents. Role and scope can therefore be checked before the body is read.
 */
export function traceIngestRoutes(app: Server, traces: TraceService): void {
  app.post(
    '/v1/traces',
    {
      bodyLimit: BYTES_MAX,
      config: { access: 'evidence.ingest', perMinute: 600, refuses: [404] },
      schema: {
        operationId: 'createTrace',
        summary: 'Verify and store a trace',
        description: '200 if the trace is already stored.',
        tags,
        body: TraceBody,
        response: { 200: Trace, 201: Trace },
      },
    },
    async (req, reply) => {
      const input = toInput(req.body, req.body.agent_id)
      const source = recordSourceOf(req.caller)
      return sendIngested(reply, await traces.ingest(requireTenant(req), input, source))
    },
  )

  app.post(
    '/v1/agents/:agent_id/traces',
    {
      bodyLimit: BYTES_MAX,
      config: { access: 'evidence.ingest', tenantFrom: 'agent', perMinute: 600 },
      schema: {
        operationId: 'createAgentTrace',
        summary: 'Verify and store a trace of an agent',
        description: '200 if the trace is already stored.',
        tags,
        params: AgentParams,
        body: AgentTraceBody,
        response: { 200: Trace, 201: Trace },
      },
    },
    async (req, reply) => {
      const input = toInput(req.body, req.params.agent_id)
      const source = recordSourceOf(req.caller)
      return sendIngested(reply, await traces.ingest(requireTenant(req), input, source))
    },
  )

  app.post(
    '/v1/traces/batch',
    {
      bodyLimit: BYTES_MAX,
      config: { access: 'evidence.ingest', agentsIn: 'traces', perMinute: 60 },
      schema: {
        operationId: 'createTraceBatch',
        summary: 'Verify and store up to 100 traces',
        description: 'One that is rejected does not stop the rest.',
        tags,
        body: BatchBody,
        response: { 200: BatchResult },
      },
    },
    async (req) => {
      const read = (item: unknown) => readItem(req, item)
      const delivery = { given: req.body.traces, source: recordSourceOf(req.caller) }
      return toBatchResult(await traces.ingestAll(requireTenant(req), delivery, read))
    },
  )
}

export function traceRoutes(app: Server, traces: TraceService): void {
  app.post(
    '/v1/traces/verify',
    {
      config: { access: 'traces.read', perMinute: 120, refuses: [404] },
      schema: {
        operationId: 'verifyTrace',
        summary: 'Verify a trace without storing it',
        tags,
        body: VerifyBody,
        response: { 200: Verdict },
      },
    },
    async (req) => {
      const { trace, card } = req.body
      const { orgId } = requireTenant(req)
      return toVerdict(await traces.verify(orgId, toInput(trace, trace.agent_id), card))
    },
  )

  app.get(
    '/v1/traces/:trace_id',
    {
      // The organisation is known only once the trace is found.
      config: { access: 'traces.read', tenantFrom: 'handler', perMinute: 120 },
      schema: {
        operationId: 'getTrace',
        summary: 'Get a trace',
        tags,
        params: TraceParams,
        response: { 200: Trace },
      },
    },
    async (req) => toTrace(await getOwn(req, traces, req.params.trace_id)),
  )

  app.get(
    '/v1/traces',
    {
      config: { access: 'traces.read', reads: 'replica', perMinute: 120 },
      schema: {
        operationId: 'listTraces',
        summary: 'List the traces of your organisation',
        description: 'Newest first.',
        tags,
        querystring: TraceQuery,
        response: { 200: TracePage },
      },
    },
    async (req) => {
      const filter = toFilter(requireTenant(req).orgId, req.query)
      return toTracePage(await traces.list(filter, toPageRequest(req.query)))
    },
  )

  app.get(
    '/v1/agents/:agent_id/traces',
    {
      config: { access: 'traces.read', reads: 'replica', tenantFrom: 'agent', perMinute: 120 },
      schema: {
        operationId: 'listAgentTraces',
        summary: 'List the traces of an agent',
        description: 'Newest first.',
        tags,
        params: AgentParams,
        querystring: AgentTraceQuery,
        response: { 200: TracePage },
      },
    },
    async (req) => {
      const filter = toFilter(requireTenant(req).orgId, req.query, req.params.agent_id)
      return toTracePage(await traces.list(filter, toPageRequest(req.query)))
    },
  )
}

function sendIngested(reply: FastifyReply, ingested: Ingested) {
  return reply.code(ingested.created ? 201 : 200).send(toTrace(ingested.stored))
}

/** Searches only the organisations of the caller, because ids are unique within each. */
async function getOwn(req: FastifyRequest, traces: TraceService, traceId: string) {
  const found = await traces.findInOrgs(memberOrgIds(req), traceId)
  const own = found.filter(({ orgId, trace }) =>
    reaches(req.caller, { orgId, agentId: trace.agent_id }),
  )
  const [stored] = own
  if (stored === undefined) throw new Problem('not_found', 'No such trace.')
  if (own.length > 1) {
    throw new Problem(
      'invalid_request',
      'Several of your organisations have a trace with this id. Name one with the X-Org-Id header.',
    )
  }
  enterTenant(req, stored.orgId, 'traces.read', stored.trace.agent_id)
  return stored
}
