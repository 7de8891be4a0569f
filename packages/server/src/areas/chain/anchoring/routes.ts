import { actorOf, orgIdsOf, requireTenant } from '../../../http/access/guard.ts'
import type { Server } from '../../../http/server.ts'
import {
  AnchorAnswer,
  AnchorBody,
  ProofAnswer,
  ProofParams,
  toAnchor,
  toProof,
  toWanted,
} from './schema.ts'
import type { AnchoringService } from './service.ts'

const tags = ['on-chain']

export function anchoringRoutes(app: Server, anchors: AnchoringService): void {
  app.post(
    '/v1/on-chain/anchor-root',
    {
      config: { access: 'onchain.write', perMinute: 10, refuses: [502] },
      schema: {
        operationId: 'anchorRoot',
        summary: 'Anchor a Merkle root on the chain',
        description: 'Answers once the transaction is mined.',
        tags,
        body: AnchorBody,
        response: { 200: AnchorAnswer },
      },
    },
    async (req) =>
      toAnchor(await anchors.anchor(requireTenant(req).orgId, toWanted(req.body), actorOf(req))),
  )

  app.get(
    '/v1/on-chain/anchors/:anchor_id/proof/:agent_id',
    {
      config: { access: 'onchain.read', perMinute: 60 },
      schema: {
        operationId: 'getAnchorProof',
        summary: 'Get a proof that an automatic anchor covers an agent',
        tags,
        params: ProofParams,
        response: { 200: ProofAnswer },
      },
    },
    async (req) => {
      const { anchor_id: anchorId, agent_id: agentId } = req.params
      return toProof(await anchors.proof(anchorId, agentId, orgIdsOf(req)))
    },
  )
}
