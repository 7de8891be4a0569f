import type { FastifyRequest } from 'fastify'
import type { Operation } from '../../../access.ts'
import { enterTenant } from '../../../http/access/guard.ts'
import { rawBody } from '../../../http/body/body.ts'
import { reaches } from '../../../http/identity/caller.ts'
import type { Server } from '../../../http/server.ts'
import { Problem } from '../../../kernel/problem.ts'
import {
  AssessmentParams,
  ProgramsAnswer,
  ProofAnswer,
  ProofData,
  ProofParams,
  toPrograms,
  toProof,
  toVerdict,
  VerifyAnswer,
  VerifyBody,
} from './schema.ts'
import type { ProofService } from './service.ts'

const tags = ['risk']

const VERIFY_BODY_BYTES_MAX = 8 * 1024 * 1024

/** The organisation is known only once the proof or assessment is found. */
const SHARED = {
  invalidAs: 'validation_error',
  tenantFrom: 'handler',
  feature: 'zk_proofs',
} as const
const READ = { ...SHARED, access: 'proofs.read', perMinute: 100 } as const

export function proofRoutes(app: Server, proofs: ProofService, baseUrl: string): void {
  app.get(
    '/v1/risk/proofs/:proof_id',
    {
      config: READ,
      schema: {
        operationId: 'getProof',
        summary: 'Get the proof of an assessment',
        description: 'Its status, and its receipt once it is verified.',
        tags,
        params: ProofParams,
        response: { 200: ProofAnswer },
      },
    },
    async (req) => {
      const found = await proofs.find(req.params.proof_id)
      return toProof(enterOwn(req, found, 'proofs.read'), baseUrl)
    },
  )

  app.get(
    '/v1/risk/proofs/:proof_id/data',
    {
      config: READ,
      schema: {
        operationId: 'getProofData',
        summary: 'Get the bytes of a verified proof',
        tags,
        params: ProofParams,
        response: { 200: ProofData },
      },
    },
    async (req, reply) => {
      const { receipt } = enterOwn(req, await proofs.find(req.params.proof_id), 'proofs.read')
      if (receipt === null) throw new Problem('not_found', 'The proof is not verified.')
      return reply.type('application/octet-stream').send(Buffer.from(receipt.proof))
    },
  )

  app.post(
    '/v1/risk/proofs/:proof_id/retry',
    {
      config: { ...SHARED, access: 'proofs.retry', perMinute: 30 },
      schema: {
        operationId: 'retryProof',
        summary: 'Retry a failed proof',
        description: 'Resets the number of attempts.',
        tags,
        params: ProofParams,
        response: { 202: ProofAnswer },
      },
    },
    async (req, reply) => {
      const found = enterOwn(req, await proofs.find(req.params.proof_id), 'proofs.retry')
      return reply.code(202).send(toProof(await proofs.retry(found.proofId), baseUrl))
    },
  )

  app.post(
    '/v1/risk/assessments/:assessment_id/prove',
    {
      config: { ...SHARED, access: 'risk.assess', perMinute: 30 },
      schema: {
        operationId: 'requestProof',
        summary: 'Request the proof of an assessment',
        description: '200 if there already is one.',
        tags,
        params: AssessmentParams,
        response: { 200: ProofAnswer, 202: ProofAnswer },
      },
    },
    async (req, reply) => {
      const { assessment_id: assessmentId } = req.params
      enterOwn(req, await proofs.findAssessment(assessmentId), 'risk.assess')
      const { proof, isNew } = await proofs.prove(assessmentId)
      return reply.code(isNew ? 202 : 200).send(toProof(proof, baseUrl))
    },
  )
}

export function verifyProofRoutes(app: Server, proofs: ProofService): void {
  app.get(
    '/v1/proof-programs',
    {
      config: { access: 'public', perMinute: 60 },
      schema: {
        operationId: 'listProofPrograms',
        summary: 'List the programs that proofs attest to',
        description: 'Their ids can be reproduced from the source.',
        tags,
        response: { 200: ProgramsAnswer },
      },
    },
    async () => toPrograms(await proofs.programs()),
  )

  app.post(
    '/v1/verify-proof',
    {
      bodyLimit: VERIFY_BODY_BYTES_MAX,
      config: {
        access: 'public',
        invalidAs: 'validation_error',
        perMinute: 10,
        limitBy: 'address',
        parses: 'worker',
      },
      schema: {
        operationId: 'verifyProof',
        summary: 'Verify the receipt of a proof',
        description: 'Any receipt can be verified; nothing is stored.',
        tags,
        body: VerifyBody,
        response: { 200: VerifyAnswer },
      },
    },
    async (req) => toVerdict(await proofs.verify(rawBody(req))),
  )
}

/** Another organisation's proof gets the same answer as a missing one (spec: platform §1.2). */
function enterOwn<Found extends { orgId: string; agentId?: string }>(
  req: FastifyRequest,
  found: Found | undefined,
  operation: Operation,
): Found {
  if (found === undefined || !reaches(req.caller, found)) {
    throw new Problem('not_found', 'No such proof or assessment.')
  }
  enterTenant(req, found.orgId, operation, found.agentId)
  return found
}
