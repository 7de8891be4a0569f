import type { RecordSource } from '@touchstone/protocol/evidence'
import type { Decision } from '@touchstone/protocol/policy'
import type { Caller } from './http/identity/caller.ts'
import { Problem } from './kernel/problem.ts'

/** The origin of checkpoints and traces that come by the API (spec: provenance §1). */

/** As the credential says; never as the body does. */
export function recordSourceOf(caller: Caller): RecordSource {
  return caller.kind === 'key'
    ? { kind: 'api', client: caller.client, boundTo: caller.agentId }
    : { kind: 'api', client: 'api', boundTo: null }
}

/** A decision of the gateway, as far as records that name it must match it. */
export type NamedDecision = {
  agentId: string
  sessionId: string | null
  tool: string
  decision: Decision
}

export type Decisions = {
  /** The stored decisions of the organisation among these, by id. */
  findNamed(
    orgId: string,
    decisionIds: readonly string[],
  ): Promise<ReadonlyMap<string, NamedDecision>>
}

const NO_TOOLS: ReadonlySet<string> = new Set()
const NONE: ReadonlyMap<string, NamedDecision> = new Map()

/** One query for the decisions of all records, and none if no decision is named. */
export async function loadNamed(
  decisions: Decisions,
  orgId: string,
  named: readonly string[],
): Promise<ReadonlyMap<string, NamedDecision>> {
  return named.length === 0 ? NONE : decisions.findNamed(orgId, [...new Set(named)])
}

/** `decision` is undefined if none of that id is stored, `sessionId` null if the record names none. */
export function isDecisionAbout(
  record: { agentId: string; sessionId: string | null },
  decision: NamedDecision | undefined,
): boolean {
  return decision?.agentId === record.agentId && decision.sessionId === record.sessionId
}

/** The tools whose calls these decisions allowed. */
export function toolsAllowedBy(
  decisionIds: readonly string[],
  decisions: ReadonlyMap<string, NamedDecision>,
): ReadonlySet<string> {
  if (decisionIds.length === 0) return NO_TOOLS
  return new Set(decisionIds.flatMap((id) => toolAllowedBy(decisions.get(id)) ?? []))
}

/** The tool whose call a decision allowed, with a warning or without. */
export function toolAllowedBy(named: NamedDecision | undefined): string | undefined {
  return named?.decision === 'allow' || named?.decision === 'warn' ? named.tool : undefined
}

/** Reveals nothing about decisions of other organisations, which are not found either. */
export function noSuchDecision(field: string, decisionId: string): Problem {
  const message = `${decisionId} is not a stored decision about this agent and session`
  return new Problem('invalid_request', `${field}: ${message}`, {
    details: [{ path: `/${field}`, code: 'not_found', message }],
  })
}

export function decisionUsed(decisionId: string): Problem {
  const message = `The decision ${decisionId} is named by another record and counts only once.`
  return new Problem('decision_used', message)
}

/** The service alone decides these fields, so a caller must not send them. */
export const ORIGIN_FIELDS = ['provenance', 'received_at'] as const

/** Throws if the body has a field that the service decides. */
export function refuseOwnFields(body: object, names: readonly string[]): void {
  const claimed = names.find((name) => Object.hasOwn(body, name))
  if (claimed === undefined) return
  const message = 'is decided by the service and must not be sent'
  throw new Problem('invalid_request', `${claimed}: ${message}`, {
    details: [{ path: `/${claimed}`, code: 'not_accepted', message }],
  })
}
