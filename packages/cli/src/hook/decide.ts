import type { HookCall, HookDecision } from '@touchstone/sdk/hooks'
import { type HookAccess, type HookAnswer, send } from './post.ts'

/** A decision with what the journal notes about it. */
export type Decided = HookDecision & {
  decision_id: string | null
  escalation_id: string | null
  findings: readonly { code: string; message: string }[]
}

export type DecideRequest = {
  access: HookAccess
  /** Undefined if only the key is known, which is bound to one. */
  agentId: string | undefined
  client: string
  session: string | undefined
  call: HookCall
  timeoutMs: number
}

/** spec: decisions §4. */
const ARGUMENTS_BYTES_MAX = 1024 * 1024

/** Throws, with a message for the user of the client, if the service gives no decision. */
export async function decide(request: DecideRequest): Promise<Decided> {
  const { access, agentId, client, session, call, timeoutMs } = request
  const { tool, arguments: args, call_id: callId } = call
  if (args !== undefined && Buffer.byteLength(JSON.stringify(args)) > ARGUMENTS_BYTES_MAX) {
    throw new Error('unreadable_arguments: the arguments of the call have more than 1 MB')
  }
  const body = {
    ...(agentId !== undefined && { agent_id: agentId }),
    tool,
    ...(args && { arguments: args }),
    ...(session !== undefined && { session_id: session }),
    ...(callId !== undefined && { call_id: callId }),
  }
  const startedAt = performance.now()
  const answer = await send(access, {
    method: 'POST',
    path: '/v1/gateway/decide',
    body,
    timeoutMs,
    client,
  })
  const decided = decidedBy(answer)
  if (decided.decision !== 'escalate' || decided.escalation_id === null) return decided
  const leftMs = Math.max(1, timeoutMs - (performance.now() - startedAt))
  return { ...decided, ...(await approvalOf(request, decided.escalation_id, leftMs)) }
}

function decidedBy({ status, body, headers }: HookAnswer): Decided {
  const fields = Object(body)
  if (status === 403 && fields.type === 'containment_error') return contained(fields, headers)
  if (status !== 200 || !isDecision(fields.decision)) throw new Error(problemOf(status, fields))
  const findings = listOf(fields.reasons).map(({ code, message }) => ({
    code: String(code),
    message: String(message),
  }))
  return {
    decision: fields.decision,
    findings,
    reasons: findings.map(({ message }) => message),
    notices: listOf(fields.notices).map(({ message }) => String(message)),
    enforced: isEnforced(headers),
    approve_url: undefined,
    local: false,
    decision_id: idOf(fields.decision_id),
    escalation_id: idOf(fields.escalation_id),
  }
}

function contained(fields: Record<string, unknown>, headers: HookAnswer['headers']): Decided {
  const message = String(fields['message'])
  return {
    decision: 'block',
    findings: [{ code: String(fields['reason']), message }],
    reasons: [message],
    notices: [],
    enforced: isEnforced(headers),
    approve_url: undefined,
    local: false,
    decision_id: idOf(fields['decision_id']),
    escalation_id: null,
  }
}

/** The mode is that of the key, which an administrator can change at any time. */
function isEnforced(headers: HookAnswer['headers']): boolean {
  return headers['x-touchstone-mode'] !== 'observe'
}

function problemOf(status: number, fields: Record<string, unknown>): string {
  if (status === 401)
    return 'the API key is not valid, or was revoked; run "touchstone connect" again'
  const message = typeof fields['message'] === 'string' ? `: ${fields['message']}` : ''
  return `the service answered ${status}${message}`
}

/** Where a person can approve the call, and whether that may be the user of the client. */
async function approvalOf(
  { access, client }: DecideRequest,
  escalationId: string,
  timeoutMs: number,
): Promise<Pick<HookDecision, 'approve_url' | 'local'>> {
  const path = `/v1/escalations/${encodeURIComponent(escalationId)}`
  const answer = await send(access, { method: 'GET', path, timeoutMs, client }).catch(
    () => undefined,
  )
  const { approve_url: url, local } = Object(answer?.body)
  return {
    approve_url: typeof url === 'string' ? url : `${access.url}/approvals/${escalationId}`,
    local: local === true,
  }
}

function isDecision(value: unknown): value is HookDecision['decision'] {
  return ['allow', 'warn', 'escalate', 'block'].some((decision) => decision === value)
}

function idOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.map((item) => Object(item)) : []
}
