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
  /** Age at which the policy is refreshed in the background; 15 seconds by default. */
  refreshMs?: number
  /** Age at which the policy expires and decides nothing; one minute by default. */
  staleMs?: number
}

export type KeptPolicy = LocalPolicy & {
  /** Fetches agent, card and policy now, with conditional requests. */
  refresh(): Promise<void>
}

const REFRESH_MS = 15_000
const STALE_MS = 60_000

/**
 * Decides calls with a cached copy of the agent's policy, without a request. It allows only calls
 * that the service would allow: anything that depends on more than policy, card and call is left to
 * the service, and so is every refusal, because the service has to record it. A changed policy, or a
 * paused agent, takes effect here within `refreshMs` of the next call.
 */
export function createLocalPolicy(options: LocalPolicyOptions): KeptPolicy {
  const { refreshMs = REFRESH_MS, staleMs = STALE_MS } = options
  const read = createStateReader(options)
  let cached: { held: Held; readMs: number } | undefined
  let refreshing: Promise<void> | undefined

  async function load(): Promise<void> {
    // Taken before the request, so that the cached copy never looks newer than it is.
    const readMs = Date.now()
    cached = { held: await read(), readMs }
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
      const ageMs = cached === undefined ? Number.POSITIVE_INFINITY : Date.now() - cached.readMs
      if (ageMs > refreshMs) {
        // On failure the copy expires after staleMs, and then the service has to decide.
        const refreshed = refresh().catch(() => undefined)
        if (ageMs > staleMs) await refreshed
      }
      if (cached === undefined || Date.now() - cached.readMs > staleMs) return undefined
      return decideLocally(cached.held, call)
    },
  }
}

/** The cached state that decides about the calls of an agent. */
export type Held = { isOpen: boolean; policy: CompiledPolicy | undefined }

/**
 * Undefined if the service has to decide. The grace period is ignored, because only the service knows
 * when a tool was first seen: a call within it is refused here, and the service then decides.
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

function createStateReader({ client, agentId }: LocalPolicyOptions): () => Promise<Held> {
  const params = { agent_id: agentId }
  const agent = createConditionalGet((headers) =>
    client.raw('GET', '/v1/agents/{agent_id}', { params, headers }),
  )
  const card = createConditionalGet((headers) => {
    const query = { effective: true }
    return client.raw('GET', '/v1/agents/{agent_id}/card', { params, query, headers })
  })
  const policy = createConditionalGet((headers) =>
    client.raw('GET', '/v1/agents/{agent_id}/policy/resolved', { params, headers }),
  )
  let compiled: { from: readonly unknown[]; policy: CompiledPolicy } | undefined

  return async () => {
    const [state, effective, resolved] = await Promise.all([agent(), card(), policy()])
    const { status, enforcement_mode: mode } = Object(state)
    // In other enforcement modes the newest checkpoint counts too, which only the service knows.
    const isOpen = status === 'active' && mode === 'observe'
    if (resolved === undefined) return { isOpen, policy: undefined }
    if (compiled?.from[0] !== effective || compiled?.from[1] !== resolved) {
      compiled = { from: [effective, resolved], policy: compile(effective, resolved) }
    }
    return { isOpen, policy: compiled.policy }
  }
}

function compile(card: unknown, resolved: unknown): CompiledPolicy {
  // The service validated both before it stored them.
  const policy = Object(resolved).resolved_policy as MergedPolicy
  return compilePolicy({ policy, card: Object(card).card_json as PolicyCard })
}

type Fetch = (headers: Record<string, string>) => Promise<Response>

/** Caches a resource by its ETag: the same object until it changes, undefined if it is not found. */
function createConditionalGet(request: Fetch): () => Promise<unknown> {
  let etag: string | null = null
  let value: unknown
  return async () => {
    try {
      const answer = await request(etag === null ? {} : { 'if-none-match': etag })
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
