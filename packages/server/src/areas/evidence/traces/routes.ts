import type { FastifyReply, FastifyRequest } from 'fastify'
import { enterTenant, requireTenant } from '../../../http/access/guard.ts'
import { tenantOf } from '../../../http/identity/caller.ts'
import type { Server } from '../../../http/server.ts'
import { AgentParams, toPageRequest } from '../../../http/wire.ts'
import { Problem } from '../../../kernel/problem.ts'
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

/** 04 §1.4: trace POSTs, single and batch. */
const BYTES_MAX = 5 * 1024 * 1024

/**
 * Where the body names the agent, the caller acts for one organisation, as everywhere, and the
 * service finds agents of no other: so role and scope are judged before the body is read.
 */
export function traceIngestRoutes(app: Server, traces: TraceService): void {
  app.post(
    '/v1/traces',
    {
      bodyLimit: BYTES_MAX,
      config: { access: 'evidence.ingest', perMinute: 600, refuses: [404] },
      schema: {
        summary: 'Store and verify a trace',
        tags,
        body: TraceBody,
        response: { 200: Trace, 201: Trace },
      },
    },
    async (req, reply) => {
      const input = toInput(req.body, req.body.agent_id)
      return sendIngested(reply, await traces.ingest(requireTenant(req), input))
    },
  )

  app.post(
    '/v1/agents/:agent_id/traces',
    {
      bodyLimit: BYTES_MAX,
      config: { access: 'evidence.ingest', tenantFrom: 'agent', perMinute: 600 },
      schema: {
        summary: 'Store and verify a trace of this agent',
        tags,
        params: AgentParams,
        body: AgentTraceBody,
        response: { 200: Trace, 201: Trace },
      },
    },
    async (req, reply) => {
      const input = toInput(req.body, req.params.agent_id)
      return sendIngested(reply, await traces.ingest(requireTenant(req), input))
    },
  )

  app.post(
    '/v1/traces/batch',
    {
      bodyLimit: BYTES_MAX,
      config: { access: 'evidence.ingest', perMinute: 60 },
      schema: {
        summary: 'Store and verify up to 100 traces, each by itself',
        tags,
        body: BatchBody,
        response: { 200: BatchResult },
      },
    },
    async (req) => {
      const read = (item: unknown) => readItem(req, item)
      return toBatchResult(await traces.ingestAll(requireTenant(req), req.body.traces, read))
    },
  )
}

export function traceRoutes(app: Server, traces: TraceService): void {
  app.post(
    '/v1/traces/verify',
    {
      config: { access: 'traces.read', perMinute: 120, refuses: [404] },
      schema: {
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
      // A person of several organisations acts for the one whose trace it is, once it is found.
      config: { access: 'traces.read', tenantFrom: 'handler', perMinute: 120 },
      schema: { summary: 'One trace', tags, params: TraceParams, response: { 200: Trace } },
    },
    async (req) => toTrace(await getOwn(req, traces, req.params.trace_id)),
  )

  app.get(
    '/v1/traces',
    {
      config: { access: 'traces.read', perMinute: 120 },
      schema: {
        summary: 'Traces of your organisation, newest first',
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
      config: { access: 'traces.read', tenantFrom: 'agent', perMinute: 120 },
      schema: {
        summary: 'Traces of an agent, newest first',
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

/** Another organisation's trace is answered exactly like a missing one (04 §1.2). */
async function getOwn(req: FastifyRequest, traces: TraceService, traceId: string) {
  const stored = await traces.find(traceId)
  if (stored === undefined || tenantOf(req.caller, stored.orgId) === undefined) {
    throw new Problem('not_found', 'No such trace.')
  }
  enterTenant(req, stored.orgId, 'traces.read')
  return stored
}
