import { Readable } from 'node:stream'
import { actorOf } from '../../../http/access/guard.ts'
import { attachment } from '../../../http/answers/export-file.ts'
import type { Server } from '../../../http/server.ts'
import { OrgParams, toInstant } from '../../../http/wire.ts'
import { invalidField } from '../../../kernel/problem.ts'
import {
  PackAccepted,
  PackAnswer,
  PackBody,
  PackFile,
  PackList,
  PackParams,
  toPack,
} from './schema.ts'
import type { PackService } from './service.ts'

const tags = ['log']

const ACCESS = { access: 'evidence_packs.export' } as const

export function packRoutes(app: Server, packs: PackService): void {
  requestRoute(app, packs)

  app.get(
    '/v1/orgs/:org_id/evidence-pack',
    {
      config: { ...ACCESS, perMinute: 60 },
      schema: {
        operationId: 'listEvidencePacks',
        summary: 'List evidence packs',
        description: 'Newest first, until they expire.',
        tags,
        params: OrgParams,
        response: { 200: PackList },
      },
    },
    async (req) => ({ packs: (await packs.list(req.params.org_id)).map(toPack) }),
  )

  app.get(
    '/v1/orgs/:org_id/evidence-pack/:pack_id',
    {
      config: { ...ACCESS, perMinute: 300 },
      schema: {
        operationId: 'getEvidencePack',
        summary: 'Get the state of an evidence pack',
        description: 'Its progress, and its size and hash when it is ready.',
        tags,
        params: PackParams,
        response: { 200: PackAnswer },
      },
    },
    async (req) => toPack(await packs.find(req.params.org_id, req.params.pack_id)),
  )

  app.get(
    '/v1/orgs/:org_id/evidence-pack/:pack_id/download',
    {
      config: { ...ACCESS, perMinute: 10, refuses: [409] },
      schema: {
        operationId: 'downloadEvidencePack',
        summary: 'Download an evidence pack',
        description: '409 until it is ready.',
        tags,
        params: PackParams,
        response: { 200: PackFile },
      },
    },
    async (req, reply) => {
      const { org_id: orgId, pack_id: packId } = req.params
      const { bytes, parts } = await packs.download(orgId, packId)
      // Back-pressure: the next part is read once the caller has read this one.
      const stream = Readable.from(parts, { highWaterMark: 1, objectMode: true })
      return attachment(reply, `evidence-${packId}.zip`)
        .type('application/zip')
        .header('content-length', bytes)
        .send(stream)
    },
  )
}

function requestRoute(app: Server, packs: PackService): void {
  app.post(
    '/v1/orgs/:org_id/evidence-pack',
    {
      config: { ...ACCESS, perMinute: 5, refuses: [409] },
      schema: {
        operationId: 'requestEvidencePack',
        summary: 'Request an evidence pack',
        description:
          'A file with the records of a period, with proofs that none is missing. It is built in the background; 409 while another one is.',
        tags,
        params: OrgParams,
        body: PackBody,
        response: { 202: PackAccepted },
      },
    },
    async (req, reply) => {
      const { from, to, frameworks } = req.body
      const period = { from: toInstant(from, 'from'), to: toInstant(to, 'to') }
      if (period.from === undefined) throw invalidField('from', 'must be a time')
      if (period.to === undefined) throw invalidField('to', 'must be a time')
      const { packId } = await packs.request(req.params.org_id, {
        from: period.from,
        to: period.to,
        frameworks,
        requestedBy: actorOf(req).id,
      })
      return reply.code(202).send({ pack_id: packId })
    },
  )
}
