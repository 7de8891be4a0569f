import type { Server } from '../../../http/server.ts'
import { KeySet, toKeySet, Verification, VerifyBody } from './schema.ts'
import type { AttestationService } from './service.ts'

const tags = ['attestation']

/** 01 §6. */
const CACHE = 'public, max-age=3600'

/** What anybody needs to check a certificate. Limits of 01 §9. */
export function attestationRoutes(app: Server, attestation: AttestationService): void {
  app.get(
    '/v1/keys',
    {
      config: { access: 'public', perMinute: 100 },
      schema: {
        summary: 'Keys that sign certificates, retired ones included',
        tags,
        response: { 200: KeySet },
      },
    },
    async (_req, reply) =>
      reply.header('cache-control', CACHE).send(toKeySet(await attestation.publishedKeys())),
  )

  app.post(
    '/v1/verify',
    {
      config: { access: 'public', perMinute: 60 },
      schema: {
        summary: 'Verify a certificate by itself and the published keys',
        tags,
        body: VerifyBody,
        response: { 200: Verification },
      },
    },
    async (req) => attestation.verify(req.body.certificate),
  )
}
