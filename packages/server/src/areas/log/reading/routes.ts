import { orgIdsOf } from '../../../http/access/guard.ts'
import { wantsJson } from '../../../http/answers/accept.ts'
import type { Server } from '../../../http/server.ts'
import {
  ConsistencyQuery,
  LogConsistency,
  LogProofAnswer,
  ProofQuery,
  RecordParams,
  ScittAnswer,
  TileParams,
  textAnswer,
  toScitt,
} from './schema.ts'
import type { ReadingService } from './service.ts'

const tags = ['log']

/** A monitor that starts afresh reads every tile and bundle once: 7,845 files for a million entries. */
const TILES_PER_MINUTE = 60_000

const TEXT = 'text/plain; charset=utf-8'

/** A tile never changes, and neither does a partial one of its width. */
const FOR_EVER = 'public, max-age=31536000, immutable'

/** The log in the form of c2sp.org/tlog-tiles: no credential, any origin (spec: log §2). */
export function tileRoutes(app: Server, log: ReadingService): void {
  app.get(
    '/log/checkpoint',
    {
      config: { access: 'public', reads: 'stale', perMinute: 600, refuses: [404] },
      schema: {
        operationId: 'getLogCheckpoint',
        summary: 'Get the newest published checkpoint of the log',
        description:
          'A signed note of c2sp.org/tlog-checkpoint with the cosignatures of witnesses.',
        tags,
        response: { 200: textAnswer('The checkpoint') },
      },
    },
    async (_req, reply) =>
      reply
        .type(TEXT)
        .header('cache-control', 'no-store')
        .send(await log.checkpoint()),
  )

  app.get(
    '/log/tile/*',
    {
      config: { access: 'public', reads: 'stale', perMinute: TILES_PER_MINUTE, refuses: [404] },
      schema: { hide: true, params: TileParams },
    },
    async (req, reply) => {
      const bytes = await log.tile(`tile/${req.params['*']}`)
      return reply
        .type('application/octet-stream')
        .header('cache-control', FOR_EVER)
        .send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))
    },
  )
}

export function proofRoutes(app: Server, log: ReadingService): void {
  app.get(
    '/v1/log/proof/:record_id',
    {
      config: { access: 'public', reads: 'stale', perMinute: 100, refuses: [404, 409] },
      schema: {
        operationId: 'getLogProof',
        summary: 'Get a proof that a record is in the log',
        description:
          'For those who can read the record. The id of a decision gives the proof of its batch, whose root the receipt leads to. 409 not_yet_logged, with age_ms, until a published checkpoint holds the entry.',
        tags,
        params: RecordParams,
        querystring: ProofQuery,
        response: { 200: LogProofAnswer },
      },
    },
    async (req, reply) => {
      const { record_id: recordId } = req.params
      const proof = await log.prove({ recordId, type: req.query.type, orgIds: orgIdsOf(req) })
      reply.header('cache-control', 'no-store').header('vary', 'Accept')
      return wantsJson(req.headers.accept) ? reply.send(proof) : reply.type(TEXT).send(proof.proof)
    },
  )

  app.get(
    '/v1/log/scitt/:record_id',
    {
      config: { access: 'public', reads: 'stale', perMinute: 100, refuses: [404, 409] },
      schema: {
        operationId: 'getScittProof',
        summary: 'Get a SCITT statement and receipt of a record',
        description:
          'The same proof as COSE messages, signed by the key of the log, for verifiers of SCITT. For those who can read the record.',
        tags,
        params: RecordParams,
        querystring: ProofQuery,
        response: { 200: ScittAnswer },
      },
    },
    async (req, reply) => {
      const wanted = { recordId: req.params.record_id, type: req.query.type, orgIds: orgIdsOf(req) }
      reply.header('cache-control', 'no-store')
      return toScitt(await log.proveScitt(wanted))
    },
  )

  app.get(
    '/v1/log/consistency',
    {
      config: { access: 'public', reads: 'stale', perMinute: 100, refuses: [404] },
      schema: {
        operationId: 'getLogConsistency',
        summary: 'Get a proof that the log only grew between two sizes',
        tags,
        querystring: ConsistencyQuery,
        response: { 200: LogConsistency },
      },
    },
    async (req) => log.consistency(req.query.from, req.query.to),
  )

  app.get(
    '/v1/log/policy',
    {
      config: { access: 'public', reads: 'stale', perMinute: 100 },
      schema: {
        operationId: 'getLogPolicy',
        summary: 'Get the key of the log and its witnesses',
        description: 'A file of c2sp.org/tlog-policy.',
        tags,
        response: { 200: textAnswer('The policy') },
      },
    },
    async (_req, reply) => reply.type(TEXT).send(await log.policy()),
  )
}
