import type { HookDecision, HookEvent, HookFailure } from '@touchstone/sdk/hooks'
import { Problem } from '../../../kernel/problem.ts'
import type { Approvals, Gateway, HookCaller, Org, Outcomes, ToolCall } from './ports.ts'

export type HookDeps = {
  gateway: Gateway
  outcomes: Outcomes
  approvals: Approvals
  /** Called for an error that is not the caller's, which the client sees as a refusal. */
  onFault(err: unknown): void
}

export type HookService = ReturnType<typeof createHookService>

/** Decides the events that clients send themselves (spec: connect §1). */
export function createHookService(deps: HookDeps) {
  return {
    /**
     * The decision about a call; undefined for events that need none. Never throws: clients let a call
     * run if a hook answers with an error.
     */
    async handle(
      org: Org,
      caller: HookCaller,
      event: HookEvent,
    ): Promise<HookDecision | HookFailure | undefined> {
      try {
        if (event.event === 'post_tool') await report(deps, org, caller, event)
        return event.event === 'pre_tool' ? await decide(deps, org, caller, event) : undefined
      } catch (err) {
        return failure(caller, messageOf(deps, err))
      }
    },

    failure,
  }
}

/** A denial for a key of mode enforce, and a notice for one that only observes. */
function failure({ enforces }: Pick<HookCaller, 'enforces'>, message: string): HookFailure {
  return { decision: 'none', message, on_error: enforces ? 'block' : 'allow' }
}

async function decide(
  { gateway, approvals }: HookDeps,
  org: Org,
  caller: HookCaller,
  event: HookEvent & { event: 'pre_tool' },
): Promise<HookDecision> {
  const answered = await gateway.decide(org, callOf(caller, event), caller)
  const { decision, escalationId } = answered
  const isAsked = decision === 'escalate' && escalationId !== null
  const answerable = isAsked
    ? await approvals.answerableInClient(org.orgId, [escalationId])
    : undefined
  return {
    decision,
    reasons: answered.reasons.map(({ message }) => message),
    notices: answered.notices.map(({ message }) => message),
    enforced: caller.enforces,
    approve_url: isAsked ? approvals.approveUrl(escalationId) : undefined,
    local: isAsked && answerable?.has(escalationId) === true,
  }
}

async function report(
  { outcomes }: HookDeps,
  org: Org,
  caller: HookCaller,
  event: HookEvent & { event: 'post_tool' },
): Promise<void> {
  const { status, duration_ms: durationMs = null, error = null } = event.outcome
  await outcomes.reportCall(org, caller, callOf(caller, event), { status, durationMs, error })
}

function callOf(
  { agentId }: HookCaller,
  { session, ...call }: HookEvent & { event: 'pre_tool' | 'post_tool' },
): ToolCall {
  return {
    agentId,
    tool: call.tool,
    arguments: call.arguments,
    sessionId: session,
    callId: call.call_id,
  }
}

/** The reason of a refusal by this service; of anything else only that it happened. */
function messageOf(deps: HookDeps, err: unknown): string {
  if (err instanceof Problem && err.status < 500) {
    const isTooLarge = err.details?.some(({ code }) => code === 'too_large') === true
    return isTooLarge ? `unreadable_arguments: ${err.message}` : err.message
  }
  deps.onFault(err)
  return 'the service failed'
}
