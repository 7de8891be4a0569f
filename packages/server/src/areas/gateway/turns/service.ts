import type { RequestReading, ToolResult } from '@touchstone/protocol/model-wire'
import type { Clock } from '../../../kernel/clock.ts'
import { newId } from '../../../kernel/ids.ts'
import type { ModelConnection, TurnRequest, TurnStart } from '../../../model-turn.ts'
import type { BudgetService } from './budget-service.ts'
import {
  type Continued,
  type ConversationService,
  conversationKey,
} from './conversation-service.ts'
import type { OutcomeReader } from './outcome-service.ts'
import type { Agents, Containment, Holds, TurnFacts } from './ports.ts'
import { sessionIdOf } from './session.ts'
import { createTurn, type TurnDeps } from './turn-service.ts'

const CLIENT_LENGTH_MAX = 64

export type TurnServiceDeps = TurnDeps & {
  clock: Clock
  agents: Agents
  containment: Containment
  holds: Holds
  outcomes: OutcomeReader
  conversations: ConversationService
  budgets: BudgetService
}

/** Governs the turns of agents at their model providers (spec: model-gateway §3). */
export function createTurnService(deps: TurnServiceDeps) {
  return {
    containment: (connection: ModelConnection) => containmentOf(deps, connection),

    /** Judges a request and prepares the turn that answers it. */
    async begin(request: TurnRequest): Promise<TurnStart> {
      const { connection, wire, target, body } = request
      const reading = wire.readRequest(body, target)
      const contained = await containmentOf(deps, connection)
      if (contained !== undefined) return refuseContained(deps, request, reading, contained)
      if (reading?.isBackground === true && connection.sealedCredential !== null) {
        return refuse(request, BACKGROUND)
      }
      const facts = await factsOf(deps, request, reading)
      const { blockedBy, usedUp } = await deps.budgets.judge(facts.turn)
      if (blockedBy !== undefined) {
        const message = `Touchstone refuses this request: the budget ${blockedBy} is used up.`
        return refuse(request, message)
      }
      const outputs = await withRefusedOutputs(body, facts, request)
      const { body: sent, nudgeIds } = await withNudges(deps, facts.turn, outputs)
      const giveBack = () => returnNudges(deps, facts.turn, nudgeIds)
      return { kind: 'send', body: sent, turn: createTurn(deps, facts.turn, { usedUp, giveBack }) }
    },
  }
}

const BACKGROUND =
  'A background response is fetched by a route that nobody reads, so Touchstone refuses it for connections with a sealed key.'

/** Undefined if the agent may act, or if the connection refuses nothing. */
async function containmentOf(
  { containment }: TurnServiceDeps,
  { agentId, mode }: ModelConnection,
): Promise<string | undefined> {
  if (mode === 'observe') return undefined
  const { status } = await containment.stateOf(agentId)
  return status === 'active'
    ? undefined
    : `Touchstone refuses this request: agent ${agentId} is ${status}.`
}

function refuse({ wire, target }: TurnRequest, message: string): TurnStart {
  return {
    kind: 'answer',
    answer: wire.errorAnswer({ status: 403, message, target }),
    headers: {},
  }
}

function refuseContained(
  { clock }: TurnServiceDeps,
  request: TurnRequest,
  reading: RequestReading | undefined,
  message: string,
): TurnStart {
  const { connection, wire } = request
  if (connection.onContained === 'refuse') return refuse(request, message)
  const answer = wire.refusalTurn(message, {
    format: reading?.isStreamAsked === true ? (reading.streamFormat ?? 'sse') : 'json',
    model: reading?.model ?? 'unknown',
    id: newId('turn').replaceAll('-', ''),
    createdAt: clock.now(),
  })
  return { kind: 'answer', answer, headers: { 'x-touchstone-agent': connection.agentId } }
}

type Facts = { turn: TurnFacts; continued: Continued | undefined }

async function factsOf(
  deps: TurnServiceDeps,
  { connection, wire, session: named, client }: TurnRequest,
  reading: RequestReading | undefined,
): Promise<Facts> {
  const { agentId, orgId, accountId, connectionId } = connection
  const agent = await deps.agents.findKnown(agentId)
  if (agent === undefined) throw new Error('a connection of an agent that does not exist')
  const continued = await deps.conversations.find({ orgId, agentId }, reading)
  const sessionId = sessionIdOf({
    agentId,
    named,
    continued: continued?.sessionId,
    ofClient: reading?.session,
    model: reading?.model,
    firstUserText: reading?.firstUserText ?? '',
  })
  const org = { orgId, accountId }
  const results: readonly ToolResult[] = reading?.toolResults ?? []
  const outcomesReported = deps.outcomes.report(org, { agentId, sessionId, connectionId }, results)
  const turn: TurnFacts = {
    turnId: newId('turn'),
    org,
    agentId,
    agentMode: agent.enforcementMode,
    sessionId,
    connection,
    wire,
    requestedModel: reading?.model ?? 'unknown',
    isModelNamed: reading?.model !== undefined,
    client: client?.slice(0, CLIENT_LENGTH_MAX) ?? null,
    isStreamAsked: reading?.isStreamAsked ?? false,
    conversation: conversationKey(reading),
    outcomesReported,
  }
  return { turn, continued }
}

/** The provider still awaits the output of calls that were refused. */
function withRefusedOutputs(
  body: Uint8Array,
  { continued }: Facts,
  { wire }: TurnRequest,
): Uint8Array {
  if (continued === undefined || continued.refused.length === 0) return body
  return wire.addRefusedOutputs(body, continued.refused) ?? body
}

/** A nudge is delivered only once, so it is taken only if the request can carry it. */
async function withNudges(
  { holds, clock }: TurnServiceDeps,
  { agentId, agentMode, sessionId, connection, wire }: TurnFacts,
  body: Uint8Array,
): Promise<{ body: Uint8Array; nudgeIds: readonly string[] }> {
  const now = clock.now()
  const unchanged = { body, nudgeIds: [] }
  if (agentMode === 'observe' || connection.mode === 'observe') return unchanged
  if (!(await holds.hasNudges(agentId, now))) return unchanged
  if (wire.appendNudge(body, ' ') === undefined) return unchanged
  const nudges = await holds.takeNudges({ agentId, sessionId, now })
  if (nudges.length === 0) return unchanged
  const text = nudges.map(({ message }) => message).join('\n')
  const nudged = wire.appendNudge(body, `Touchstone: ${text}`)
  return { body: nudged ?? body, nudgeIds: nudges.map(({ nudgeId }) => nudgeId) }
}

async function returnNudges(
  { holds, onError }: TurnServiceDeps,
  { agentId }: TurnFacts,
  nudgeIds: readonly string[],
): Promise<void> {
  if (nudgeIds.length > 0) await holds.giveBack(agentId, nudgeIds).catch(onError)
}
