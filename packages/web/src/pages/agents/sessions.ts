import type { Answer } from '@touchstone/sdk'

type EvidenceSession = Answer<'GET', '/v1/agents/{agent_id}/sessions'>['sessions'][number]
type Decided = Pick<
  Answer<'GET', '/v1/decisions'>['decisions'][number],
  'session_id' | 'decided_at' | 'decision'
>

/** A session as the evidence and the decisions of the agent show it. */
export type AgentSession = {
  sessionId: string
  startedAt: string
  lastAt: string
  /** Undefined if the session has no checkpoints. */
  evidence: EvidenceSession | undefined
  /** Among the latest decisions of the agent. */
  decisions: number
  blocked: number
  escalated: number
}

/** The sessions of checkpoints, joined with those of the latest decisions, newest first. */
export function joinSessions(
  evidence: readonly EvidenceSession[],
  decisions: readonly Decided[],
): AgentSession[] {
  const sessions = new Map<string, AgentSession>()
  for (const one of evidence) {
    sessions.set(one.session_id, {
      sessionId: one.session_id,
      startedAt: one.started_at,
      lastAt: one.last_at,
      evidence: one,
      decisions: 0,
      blocked: 0,
      escalated: 0,
    })
  }
  for (const { session_id: sessionId, decided_at: at, decision } of decisions) {
    if (sessionId === null) continue
    const known = sessions.get(sessionId) ?? {
      sessionId,
      startedAt: at,
      lastAt: at,
      evidence: undefined,
      decisions: 0,
      blocked: 0,
      escalated: 0,
    }
    sessions.set(sessionId, {
      ...known,
      startedAt: earlier(known.startedAt, at),
      lastAt: later(known.lastAt, at),
      decisions: known.decisions + 1,
      blocked: known.blocked + (decision === 'block' ? 1 : 0),
      escalated: known.escalated + (decision === 'escalate' ? 1 : 0),
    })
  }
  return [...sessions.values()].sort((a, b) => Date.parse(b.lastAt) - Date.parse(a.lastAt))
}

const earlier = (a: string, b: string) => (Date.parse(a) <= Date.parse(b) ? a : b)
const later = (a: string, b: string) => (Date.parse(a) >= Date.parse(b) ? a : b)
