import type { Client, Step } from './client.ts'
import type { ToolCall } from './tool-calls.ts'

/** The key of an agent's program, and how the program calls itself. */
export type Program = { key: string; name: string; client: Kind; mode: 'enforce' | 'observe' }

type Kind = 'api' | 'sdk' | 'mcp_guard' | 'hook'

const PROGRAMS: readonly Omit<Program, 'key' | 'mode'>[] = [
  { client: 'sdk', name: 'touchstone-sdk/0.1' },
  { client: 'mcp_guard', name: 'touchstone-guard/0.1' },
  { client: 'hook', name: 'coding-agent/2.1' },
  { client: 'api', name: 'desk-proxy/4' },
]

export type Programs = {
  /** Creates the key of an agent, which only decides and reports for that agent. */
  add(
    client: Client,
    agent: { id: string; name: string; place: number; onlyRecords: boolean },
  ): Promise<void>
  get(agentId: string): Program
}

export function createPrograms(): Programs {
  const programs = new Map<string, Program>()
  return {
    async add(client, { id, name, place, onlyRecords }) {
      const program = PROGRAMS[place % PROGRAMS.length] ?? { client: 'api', name: 'desk-proxy/4' }
      const mode = onlyRecords ? 'observe' : 'enforce'
      // Only a person can create a key whose program may go on with refused calls.
      const call = onlyRecords ? client.callAsOwner : client.call
      const made = await call('POST', '/v1/api-keys', {
        name,
        agent_id: id,
        role: 'member',
        scopes: ['decide', 'ingest'],
        client: program.client,
        mode,
      })
      programs.set(id, { ...program, mode, key: made.key })
    },
    get(agentId) {
      const found = programs.get(agentId)
      if (found === undefined) throw new Error(`${agentId} has no key yet`)
      return found
    },
  }
}

/** The tool calls of a day, in one step. A step does not span a `cut`, after which other rules apply. */
export function toolCallSteps(
  calls: readonly ToolCall[],
  programs: Programs,
  { cuts, now }: { cuts: readonly Date[]; now: Date },
): Step[] {
  const days = new Map<string, ToolCall[]>()
  for (const call of calls) {
    const era = cuts.filter((cut) => cut <= call.at).length
    const day = `${call.at.toISOString().slice(0, 10)} ${era}`
    days.set(day, [...(days.get(day) ?? []), call])
  }
  return [...days.values()].map((ofDay) => ({
    at: earlier(latest(ofDay), nextCut(ofDay, cuts) ?? now),
    run: (client) => makeCalls(client, ofDay, programs),
  }))
}

function latest(calls: readonly ToolCall[]): Date {
  return new Date(Math.max(...calls.map(({ at }) => at.getTime())) + ANSWER_MS + REPEAT_MS)
}

/** Just before the cut, whose own step has its time. */
function nextCut(calls: readonly ToolCall[], cuts: readonly Date[]): Date | undefined {
  const next = cuts.find((cut) => calls.every(({ at }) => at < cut))
  return next === undefined ? undefined : new Date(next.getTime() - 1)
}

function earlier(one: Date, other: Date): Date {
  return one < other ? one : other
}

const ANSWER_MS = 4 * 60_000
const REPEAT_MS = 60_000

type Decided = {
  call: ToolCall
  at: Date
  decisionId: string
  decision: string
  escalationId: string | null
}

/** Calls that are sent together; more would wait for each other, which is part of their duration. */
const TOGETHER = 24

/**
 * Requests many decisions at once, so that they share a few signatures. The first one of each agent
 * goes ahead, because it loads the agent's policy, for which the others would only wait.
 */
async function makeCalls(
  client: Client,
  calls: readonly ToolCall[],
  programs: Programs,
): Promise<void> {
  const ask = (call: ToolCall) => requestDecision(client, call, programs.get(call.agentId))
  const agents = new Set<string>()
  const [firsts, others]: [ToolCall[], ToolCall[]] = [[], []]
  for (const call of calls) {
    const isFirst = !agents.has(call.agentId)
    agents.add(call.agentId)
    if (isFirst) firsts.push(call)
    else others.push(call)
  }
  const decided = await Promise.all(firsts.map(ask))
  for (let from = 0; from < others.length; from += TOGETHER) {
    decided.push(...(await Promise.all(others.slice(from, from + TOGETHER).map(ask))))
  }
  const answered = decided.filter(({ call, escalationId, decision }) => {
    return decision === 'escalate' && escalationId !== null && call.approval !== undefined
  })
  await Promise.all(answered.map((one) => answer(client, one)))
  const approved = answered.filter(({ call }) => call.approval === 'approve')
  const repeated = await Promise.all(
    approved.map(({ call, escalationId }) =>
      requestDecision(client, call, programs.get(call.agentId), { escalationId }),
    ),
  )
  await report(client, [...decided, ...repeated], programs)
}

/** Undefined times are those of the call itself; an approved call is repeated a little later. */
export async function requestDecision(
  { send }: Client,
  call: ToolCall,
  program: Program,
  { escalationId }: { escalationId?: string | null } = {},
): Promise<Decided> {
  const isRepeated = typeof escalationId === 'string'
  const at = isRepeated ? new Date(call.at.getTime() + ANSWER_MS + REPEAT_MS) : call.at
  const answer = await send({
    at,
    path: '/v1/gateway/decide',
    key: program.key,
    program: program.name,
    body: {
      agent_id: call.agentId,
      session_id: call.sessionId,
      call_id: isRepeated ? `${call.callId}-again` : call.callId,
      tool: call.tool,
      arguments: call.args,
      ...(call.justification === '' ? {} : { justification: call.justification }),
      ...(isRepeated ? { escalation_id: escalationId } : {}),
    },
  })
  // A paused agent is refused with 403, which is a decision, too.
  const { decision_id: decisionId, decision, escalation_id } = answer.body
  if (typeof decisionId !== 'string') throw unexpected('decide', answer)
  return { call, at, decisionId, decision, escalationId: escalation_id ?? null }
}

async function answer(
  { send, approverKey }: Client,
  { call, escalationId }: Decided,
): Promise<void> {
  const sent = await send({
    at: new Date(call.at.getTime() + ANSWER_MS),
    path: `/v1/escalations/${escalationId}/resolve`,
    key: approverKey,
    body: {
      outcome: call.approval,
      note: call.approval === 'approve' ? 'Checked against the record.' : 'Not without a receipt.',
    },
  })
  if (sent.status !== 200) throw unexpected('resolve', sent)
}

/** Each session reports its outcomes together, after its last call. */
async function report(
  { send }: Client,
  decided: readonly Decided[],
  programs: Programs,
): Promise<void> {
  const sessions = new Map<string, Decided[]>()
  for (const one of decided) {
    const { sessionId } = one.call
    sessions.set(sessionId, [...(sessions.get(sessionId) ?? []), one])
  }
  await Promise.all(
    [...sessions.values()].map(async (ofSession) => {
      const [first] = ofSession
      if (first === undefined) return
      const program = programs.get(first.call.agentId)
      const outcomes = ofSession.flatMap((one) => outcomeOf(one, program))
      if (outcomes.length === 0) return
      const at = new Date(Math.max(...ofSession.map((one) => one.at.getTime())))
      const path = '/v1/decisions/outcomes'
      const sent = await send({ at, path, key: program.key, body: { outcomes } })
      if (sent.status !== 200) throw unexpected('outcomes', sent)
    }),
  )
}

function outcomeOf({ call, decision, decisionId }: Decided, { mode }: Program): object[] {
  const isRefused = decision === 'block' || decision === 'escalate'
  if (isRefused && mode === 'enforce' && !call.bypasses) {
    return [{ decision_id: decisionId, status: 'not_executed' }]
  }
  return call.result === undefined ? [] : [{ decision_id: decisionId, ...call.result }]
}

function unexpected(what: string, answer: { status: number; body: unknown }): Error {
  return new Error(`${what} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
}
