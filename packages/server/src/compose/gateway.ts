import {
  anthropicWire,
  geminiWire,
  openaiChatWire,
  openaiResponsesWire,
  type WireFormat,
  type WireName,
} from '@touchstone/protocol/model-wire'
import { createConnectionFeature } from '../areas/gateway/connections/feature.ts'
import { upstreamOf } from '../areas/gateway/connections/upstream.ts'
import { createRelayFeature } from '../areas/gateway/relay/feature.ts'
import { createTurnFeature } from '../areas/gateway/turns/feature.ts'
import type { RelayLimits } from '../http/limits/relay-limit.ts'
import { later } from '../kernel/clock.ts'
import type { FinishedSpan } from '../telemetry/spans.ts'
import type { createControl } from './control.ts'
import type { createEvidence } from './evidence.ts'
import type { createGovernance } from './governance.ts'
import type { Kernel } from './kernel.ts'
import type { createPlatform } from './platform.ts'

type Built = {
  platform: ReturnType<typeof createPlatform>
  evidence: ReturnType<typeof createEvidence>
  control: ReturnType<typeof createControl>
  governance: ReturnType<typeof createGovernance>
}

const WIRES: Record<WireName, WireFormat> = {
  anthropic: anthropicWire,
  'openai-chat': openaiChatWire,
  'openai-responses': openaiResponsesWire,
  gemini: geminiWire,
}

/** The model gateway: connections of agents to their model providers, and the turns on them. */
export function createModelGateway(
  kernel: Kernel,
  built: Built,
  given: { relayLimits: RelayLimits; isReady(): boolean },
) {
  const { platform, evidence, control, governance } = built
  const { config, db, clock, lifecycle, log, metrics, notices, secrets } = kernel
  const { upstreams, escalationHoldMs, analysisHoldMs, waits } = config.modelGateway
  const elapsedMs = () => performance.now()
  const record = (
    name: string,
    durationMs: number,
    attributes: FinishedSpan['attributes'] = {},
  ) => {
    const startedAt = later(clock.now(), -durationMs)
    kernel.spans?.record({ name, startedAt, durationMs, attributes, events: [] })
  }
  const connections = createConnectionFeature(
    {
      db,
      clock,
      audit: platform.audit.service,
      notices,
      secrets,
      agents: evidence.agents.service,
      baseUrl: config.baseUrl,
      upstreams,
      onError: (err) => log.error({ err }, 'noting the last use of a connection failed'),
    },
    lifecycle,
  )
  const turns = createTurnFeature(
    {
      db,
      clock,
      elapsedMs,
      agents: evidence.agents.service,
      containment: control.containment.service,
      holds: control.enforcement.service,
      decider: governance.gateway.batches,
      approvals: approvalsOf(governance),
      outcomes: governance.decisions.callOutcomes,
      checkpoints: evidence.intake.service,
      policies: { modelLimitsOf: modelLimitsOf(governance) },
      escalationHoldMs,
      analysisHoldMs,
      failurePolicy: config.analysisFailurePolicy,
      keepAliveMs: waits.keepAliveMs,
      onHeld(ms) {
        metrics.modelHeld.observe(ms / 1000)
        record('model_gateway.held', ms)
      },
      onTokens: (kind, tokens) => metrics.modelTokens.inc({ kind }, tokens),
      onUngoverned: () => metrics.modelUngoverned.inc(),
      onFailure: (err) => log.warn({ err }, 'analysing a turn before its calls failed'),
      onError: (err) => log.error({ err }, 'governing a turn failed'),
    },
    lifecycle,
  )
  const relay = createRelayFeature(
    {
      connections: {
        recognise: connections.service.recognise,
        credentialOf: connections.service.credentialOf,
        upstreamOf: (connection) => upstreamOf(connection, upstreams),
      },
      plans: platform.plans.service,
      turns: turns.service,
      limits: given.relayLimits,
      wireOf: (name) => WIRES[name],
      isReady: given.isReady,
      elapsedMs,
      silentMsMax: waits.silentMsMax,
      trustedHops: config.trustedHops,
      onFirstByte({ firstByteMs = 0, provider, isGoverned, connection }) {
        if (isGoverned) metrics.modelFirstByte.observe(firstByteMs / 1000)
        const { orgId: org_id, agentId: agent_id } = connection ?? {}
        record('model_gateway.first_byte', firstByteMs, { provider, org_id, agent_id })
      },
      onRelayed(relayed) {
        const { method, path, status, elapsedMs: durationMs, connection } = relayed
        const route = `/llm/[token]/${relayed.provider ?? ''}`
        metrics.answered({ method, route, status }, durationMs)
        const { orgId: org_id, connectionId: actor } = connection ?? {}
        log.info(
          { org_id, actor, method, route: path, status, duration_ms: Math.round(durationMs) },
          'relayed',
        )
      },
      onFault: (err) => log.error({ err }, 'relaying a request failed'),
    },
    lifecycle,
  )
  return { connections, mount: relay.mount }
}

/** Adapts approvals to the port of turns. */
function approvalsOf({ approvals }: Built['governance']) {
  const { service } = approvals
  return {
    approveUrl: service.approveUrl,
    async awaitAnswer(escalationId: string, limits: { waitMs: number; signal: AbortSignal }) {
      const before = await service.find(escalationId)
      const after = before && (await service.awaitChange(before, limits))
      if (after?.status === 'pending') return undefined
      return after?.status === 'approved'
    },
  }
}

const NO_BUDGET = { isEnforced: false, rules: [] }

/** The budgets of the agent's effective policy; none if it cannot be read. */
function modelLimitsOf({ evaluations }: Built['governance']) {
  return async (orgId: string, agentId: string) => {
    const rules = await evaluations.service.rulesOf(orgId, agentId)
    const compiled = rules.readable ? rules.effective.policy?.compiled : undefined
    if (compiled === undefined) return NO_BUDGET
    return {
      isEnforced: compiled.defaults.enforcement_mode === 'enforce',
      rules: compiled.modelLimits.map((limit) => ({
        name: limit.rule,
        per: limit.per,
        action: limit.action,
        maxTokens: limit.max_tokens,
        maxTurns: limit.max_turns,
        matches: limit.matches,
      })),
    }
  }
}
