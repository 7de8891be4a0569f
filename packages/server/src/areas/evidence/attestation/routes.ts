import type { FastifyReply } from 'fastify'
import { orgIdsOf } from '../../../http/access/guard.ts'
import type { Server } from '../../../http/server.ts'
import { AgentParams } from '../../../http/wire.ts'
import {
  CheckpointParams,
  ConsistencyProof,
  ConsistencyQuery,
  InclusionProof,
  InclusionQuery,
  IntegrityCertificate,
  KeySet,
  TreeHead,
  toConsistencyProof,
  toInclusionProof,
  toKeySet,
  toTreeHead,
  Verification,
  VerifyBody,
} from './schema.ts'
import type { AttestationService } from './service.ts'

const tags = ['attestation']

/** Clients may cache the keys for an hour (spec: evidence §6). */
const KEYS_CACHE_CONTROL = 'public, max-age=3600'

/** Public: everything needed to check a certificate. Limits: spec: evidence §8. */
export function attestationRoutes(app: Server, attestation: AttestationService): void {
  app.get(
    '/v1/keys',
    {
      config: { access: 'public', reads: 'stale', perMinute: 100 },
      schema: {
        operationId: 'listSigningKeys',
        summary: 'List the keys that sign certificates, receipts and checkpoints of the log',
        description: 'Retired keys are included. The key of the log has `use: log`.',
        tags,
        response: { 200: KeySet },
      },
    },
    async (_req, reply) =>
      reply
        .header('cache-control', KEYS_CACHE_CONTROL)
        .send(toKeySet(await attestation.allPublishedKeys())),
  )

  app.post(
    '/v1/verify',
    {
      config: { access: 'public', perMinute: 60 },
      schema: {
        operationId: 'verifyCertificate',
        summary: 'Verify a certificate',
        description: 'Uses only the certificate and the published keys.',
        tags,
        body: VerifyBody,
        response: { 200: Verification },
      },
    },
    async (req) => attestation.verify(req.body.certificate),
  )
}

/** Certificates and proofs of a checkpoint, for everyone who can see its agent. */
export function certificateRoutes(app: Server, attestation: AttestationService): void {
  app.get(
    '/v1/checkpoints/:checkpoint_id/certificate',
    {
      config: { access: 'public', reads: 'stale', perMinute: 100 },
      schema: {
        operationId: 'getCertificate',
        summary: 'Get the integrity certificate of a checkpoint',
        tags,
        params: CheckpointParams,
        response: { 200: IntegrityCertificate },
      },
    },
    async (req, reply) => {
      const { checkpoint_id: checkpointId } = req.params
      const { value, isOwner } = await attestation.getCertificate(checkpointId, orgIdsOf(req))
      return preventCaching(reply, isOwner).send(value)
    },
  )

  app.get(
    '/v1/checkpoints/:checkpoint_id/inclusion-proof',
    {
      config: { access: 'public', reads: 'stale', perMinute: 100, refuses: [422] },
      schema: {
        operationId: 'getInclusionProof',
        summary: "Get a proof that a checkpoint is in its agent's Merkle tree",
        tags,
        params: CheckpointParams,
        querystring: InclusionQuery,
        response: { 200: InclusionProof },
      },
    },
    async (req, reply) => {
      const { checkpoint_id: checkpointId } = req.params
      const { tree_size: treeSize } = req.query
      const proved = await attestation.proveInclusion(checkpointId, orgIdsOf(req), treeSize)
      return preventCaching(reply, proved.isOwner).send(toInclusionProof(proved.value))
    },
  )
}

export function treeRoutes(app: Server, attestation: AttestationService): void {
  app.get(
    '/v1/agents/:agent_id/merkle-root',
    {
      config: { access: 'public', reads: 'stale', perMinute: 100 },
      schema: {
        operationId: 'getTreeHead',
        summary: "Get the signed head of an agent's Merkle tree",
        tags,
        params: AgentParams,
        response: { 200: TreeHead },
      },
    },
    async (req, reply) => {
      const { value, isOwner } = await attestation.getTreeHead(req.params.agent_id, orgIdsOf(req))
      return preventCaching(reply, isOwner).send(toTreeHead(value))
    },
  )

  app.get(
    '/v1/agents/:agent_id/consistency-proof',
    {
      config: { access: 'public', reads: 'stale', perMinute: 100, refuses: [422] },
      schema: {
        operationId: 'getConsistencyProof',
        summary: "Get a proof that an agent's Merkle tree is append-only",
        tags,
        params: AgentParams,
        querystring: ConsistencyQuery,
        response: { 200: ConsistencyProof },
      },
    },
    async (req, reply) => {
      const { agent_id: agentId } = req.params
      const proved = await attestation.proveConsistency(agentId, orgIdsOf(req), req.query)
      return preventCaching(reply, proved.isOwner).send(toConsistencyProof(proved.value))
    },
  )
}

/** No cache may store a response to the owner, because others may not see it (spec: reputation §8). */
function preventCaching(reply: FastifyReply, isOwner: boolean): FastifyReply {
  return isOwner ? reply.header('cache-control', 'private, no-store') : reply
}
