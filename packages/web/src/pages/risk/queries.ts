import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Answer, Body } from '@touchstone/sdk'
import { forOrg } from '../../session/for-org.ts'
import { api } from '../../session/session.ts'

export type Assessment = Answer<'GET', '/v1/risk/assessments/{assessment_id}'>
export type TeamAssessment = Answer<'GET', '/v1/risk/team-assessments/{assessment_id}'>
export type Proof = Answer<'GET', '/v1/risk/proofs/{proof_id}'>
export type AssessBody = Body<'POST', '/v1/risk/assess'>
export type TeamAssessBody = Body<'POST', '/v1/risk/assess/team'>

export const riskKey = (orgId: string) => ['risk', orgId] as const

/** The prefix of an assessment id tells agent and team assessments apart. */
export const isTeamAssessment = (assessmentId: string) => assessmentId.startsWith('tra-')

export function useAssessment(orgId: string, assessmentId: string) {
  return useQuery({
    queryKey: [...riskKey(orgId), 'assessment', assessmentId],
    queryFn: () =>
      api.request('GET', '/v1/risk/assessments/{assessment_id}', {
        ...forOrg(orgId),
        params: { assessment_id: assessmentId },
      }),
    enabled: !isTeamAssessment(assessmentId),
  })
}

export function useTeamAssessment(orgId: string, assessmentId: string) {
  return useQuery({
    queryKey: [...riskKey(orgId), 'team-assessment', assessmentId],
    queryFn: () =>
      api.request('GET', '/v1/risk/team-assessments/{assessment_id}', {
        ...forOrg(orgId),
        params: { assessment_id: assessmentId },
      }),
    enabled: isTeamAssessment(assessmentId),
  })
}

export type ListedAssessment = Answer<'GET', '/v1/risk/assessments'>['assessments'][number]

export const RISKS_PER_PAGE = 20

/** All assessments of the organisation, or those of agents or of teams only. */
export function useRiskList(
  orgId: string,
  subject: ListedAssessment['subject'] | undefined,
  page: number,
) {
  return useQuery({
    queryKey: [...riskKey(orgId), 'list', subject, page],
    queryFn: () =>
      api.request('GET', '/v1/risk/assessments', {
        ...forOrg(orgId),
        query: { subject, limit: RISKS_PER_PAGE, offset: (page - 1) * RISKS_PER_PAGE },
      }),
    placeholderData: keepPreviousData,
  })
}

/** Polls while a proof is in progress, which takes seconds. */
const POLL_MS = 1500

export function useProof(orgId: string, proofId: string) {
  return useQuery({
    queryKey: [...riskKey(orgId), 'proof', proofId],
    queryFn: () =>
      api.request('GET', '/v1/risk/proofs/{proof_id}', {
        ...forOrg(orgId),
        params: { proof_id: proofId },
      }),
    refetchInterval: ({ state }) => (isInProgress(state.data?.status) ? POLL_MS : false),
  })
}

function isInProgress(status: Proof['status'] | undefined): boolean {
  return status === 'pending' || status === 'proving'
}
