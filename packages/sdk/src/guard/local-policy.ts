import {
  type CompiledPolicy,
  compilePolicy,
  decideCall,
  evaluatePolicy,
  type MergedPolicy,
  type PolicyCard,
} from '@touchstone/protocol/policy'
import { ApiError } from '../api-error.ts'
import type { Client } from '../client.ts'
import type { LocalPolicy } from './guard.ts'
import type { ToolCall } from './tool-call.ts'

export type LocalPolicyOptions = {
  client: Client
  agentId: string
  /** How old the policy may get before it is asked for again, in the background; 15 seconds. */
  refreshMs?: number
  /** How old it may get before nothing is decided by it any more; a minute. */
  staleMs?: number
}

export type KeptPolicy = LocalPolicy & {
  /** Reads agent, card and policy now; those that have not changed are not sent again. */
  refresh(): Promise<void>
}

const REFRESH_MS = 15_000
const STALE_MS = 60_000

/**
 * Decides by the agent's own policy, kept here, what needs no service. It lets through only what the
 * service would let through: whatever depends on more than policy, card and call is left to it, and
 * so is every refusal, which the service has to know of. A change, or a stop of the agent, holds
 * here within `refreshMs` of the next call.
 */
export function createLocalPolicy(options: LocalPolicyOptions): KeptPolicy {
  const { refreshMs = REFRESH_MS, staleMs = STALE_MS } = options
  const read = createReader(options)
  let kept: { held: Held; readMs: number } | undefined
  let refreshing: Promise<void> | undefined

  async function load(): Promise<void> {
    // From before the question, so that it is never thought newer than it is.
    const readMs = Date.now()
    kept = { held: await read(), readMs }
  }
  function refresh(): Promise<void> {
    refreshing ??= load().finally(() => {
      refreshing = undefined
    })
    return refreshing
  }

  return {
    refresh,
    async decide(call) {
      const ageMs = kept === undefined ? Number.POSITIVE_INFINITY : Date.now() - kept.readMs
      if (ageMs > refreshMs) {
        // Whoever cannot read it cannot decide by it; the service is then asked, or nobody is there.
        const read = refresh().catch(() => undefined)
        if (ageMs > staleMs) await read
      }
      if (kept === undefined || Date.now() - kept.readMs > staleMs) return undefined
      return decideLocally(kept.held, call)
    },
  }
}

/** What is known of an agent and decides about its calls. */
export type Held = { isOpen: boolean; policy: CompiledPolicy | undefined }

/**
 * Undefined where more must be known. Grace is left out, as only the service knows when a tool was
 * first seen: what it would excuse is a refusal here, which the service is asked about.
 */
export function decideLocally({ isOpen, policy }: Held, call: ToolCall) {
  if (!isOpen || call.transactionId !== undefined || call.escalationId !== undefined)
    return undefined
  const { tool, arguments: args } = call
  const { decision, reasons } = decideCall({
    tool,
    containment: 'active',
    hold: false,
    agentMode: 'observe',
    policy: policy && {
      outcome: 'evaluated',
      mode: policy.defaults.enforcement_mode,
      evaluation: evaluatePolicy(policy, {
        tools: [tool],
        context: 'gateway',
        nowMs: Date.now(),
        firstSeenMs: new Map([[tool, 0]]),
        args,
      }),
    },
  })
  return { decision, reasons }
}

function createReader({ client, agentId }: LocalPolicyOptions): () => Promise<Held> {
  const params = { agent_id: agentId }
  const agent = keep((headers) => client.raw('GET', '/v1/agents/{agent_id}', { params, headers }))
  const card = keep((headers) => {
    const query = { effective: true }
    return client.raw('GET', '/v1/agents/{agent_id}/card', { params, query, headers })
  })
  const policy = keep((headers) =>
    client.raw('GET', '/v1/agents/{agent_id}/policy/resolved', { params, headers }),
  )
  let compiled: { from: readonly unknown[]; policy: CompiledPolicy } | undefined

  return async () => {
    const [known, effective, resolved] = await Promise.all([agent(), card(), policy()])
    const { status, enforcement_mode: mode } = Object(known)
    // In other modes the newest checkpoint counts as well, which only the service knows.
    const isOpen = status === 'active' && mode === 'observe'
    if (resolved === undefined) return { isOpen, policy: undefined }
    if (compiled?.from[0] !== effective || compiled?.from[1] !== resolved) {
      compiled = { from: [effective, resolved], policy: compile(effective, resolved) }
    }
    return { isOpen, policy: compiled.policy }
  }
}

function compile(card: unknown, resolved: unknown): CompiledPolicy {
  // The service has validated both before it stored them.
  const policy = Object(resolved).resolved_policy as MergedPolicy
  return compilePolicy({ policy, card: Object(card).card_json as PolicyCard })
}

type Ask = (headers: Record<string, string>) => Promise<Response>

/** The same value as long as it does not change; undefined where there is none. */
function keep(ask: Ask): () => Promise<unknown> {
  let etag: string | null = null
  let value: unknown
  return async () => {
    try {
      const answer = await ask(etag === null ? {} : { 'if-none-match': etag })
      if (answer.status === 304) return value
      value = await answer.json()
      etag = answer.headers.get('etag')
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404) throw error
      value = undefined
      etag = null
    }
    return value
  }
}
