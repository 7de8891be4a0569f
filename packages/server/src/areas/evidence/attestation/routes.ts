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

/** What is attested of a checkpoint, for anybody who may see its agent. */
export function certificateRoutes(app: Server, attestation: AttestationService): void {
  app.get(
    '/v1/checkpoints/:checkpoint_id/certificate',
    {
      config: { access: 'public', perMinute: 100 },
      schema: {
        summary: 'The integrity certificate of a checkpoint',
        tags,
        params: CheckpointParams,
        response: { 200: IntegrityCertificate },
      },
    },
    async (req, reply) => {
      const { checkpoint_id: checkpointId } = req.params
      const { shown, own } = await attestation.getCertificate(checkpointId, orgIdsOf(req))
      return keptFromCaches(reply, own).send(shown)
    },
  )

  app.get(
    '/v1/checkpoints/:checkpoint_id/inclusion-proof',
    {
      config: { access: 'public', perMinute: 100, refuses: [422] },
      schema: {
        summary: "Proof that a checkpoint is in its agent's tree",
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
      return keptFromCaches(reply, proved.own).send(toInclusionProof(proved.shown))
    },
  )
}

export function treeRoutes(app: Server, attestation: AttestationService): void {
  app.get(
    '/v1/agents/:agent_id/merkle-root',
    {
      config: { access: 'public', perMinute: 100 },
      schema: {
        summary: "The signed head of an agent's tree",
        tags,
        params: AgentParams,
        response: { 200: TreeHead },
      },
    },
    async (req, reply) => {
      const { shown, own } = await attestation.getTreeHead(req.params.agent_id, orgIdsOf(req))
      return keptFromCaches(reply, own).send(toTreeHead(shown))
    },
  )

  app.get(
    '/v1/agents/:agent_id/consistency-proof',
    {
      config: { access: 'public', perMinute: 100, refuses: [422] },
      schema: {
        summary: "Proof that an agent's tree only grew",
        tags,
        params: AgentParams,
        querystring: ConsistencyQuery,
        response: { 200: ConsistencyProof },
      },
    },
    async (req, reply) => {
      const { agent_id: agentId } = req.params
      const proved = await attestation.proveConsistency(agentId, orgIdsOf(req), req.query)
      return keptFromCaches(reply, proved.own).send(toConsistencyProof(proved.shown))
    },
  )
}

/** What only the owner may be seeing is nobody else's to keep (01 §7.8). */
function keptFromCaches(reply: FastifyReply, own: boolean): FastifyReply {
  return own ? reply.header('cache-control', 'private, no-store') : reply
}
