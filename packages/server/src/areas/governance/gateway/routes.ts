import { actorOf, requireTenant } from '../../../http/access/guard.ts'
import { keptAnswer } from '../../../http/answers/idempotency.ts'
import { sendJsonText } from '../../../http/answers/published.ts'
import type { Server } from '../../../http/server.ts'
import {
  DecideBody,
  DecisionAnswer,
  Refused,
  toCall,
  toCaller,
  toRefused,
  writeDecision,
} from './schema.ts'
import type { GatewayService } from './service.ts'

const tags = ['gateway']

/** Fits arguments of 1 MB in any JSON escaping, which takes at most six bytes per byte. */
const BODY_BYTES_MAX = 6.5 * 1024 * 1024

/** The agent is in the body, or that of the key, so the organisation is the caller's, as with traces. */
export function decideRoute(app: Server, gateway: GatewayService): void {
  app.post(
    '/v1/gateway/decide',
    {
      bodyLimit: BODY_BYTES_MAX,
      config: {
        access: 'gateway.decide',
        agentFrom: 'key',
        perMinute: 'plan',
        refuses: [404],
        replays: 'handler',
        exactIntegers: true,
      },
      schema: {
        operationId: 'decideToolCall',
        summary: 'Decide whether an agent may call a tool now',
        tags,
        body: DecideBody,
        response: { 200: DecisionAnswer, 403: Refused },
      },
    },
    async (req, reply) => {
      const call = toCall(req.body, req.caller, req.headers['x-transaction-id'])
      const caller = toCaller(actorOf(req).id, req.caller, req.headers['x-touchstone-client'])
      // Tells a hook that a refusal is to be only a notice.
      if (!caller.enforced) reply.header('x-touchstone-mode', 'observe')
      const kept = keptAnswer(req)
      const decided = await gateway.decide(requireTenant(req), call, caller, decisionIn(kept))
      if (decided.isReplayed) reply.header('idempotency-replayed', 'true')
      if (decided.isReplayed && kept !== undefined && decisionIn(kept) === decided.decisionId) {
        req.idempotency = undefined
        return sendJsonText(reply.code(kept.status === 403 ? 403 : 200), kept.text)
      }
      const { contained } = decided
      if (contained !== undefined) return reply.code(403).send(toRefused(contained, decided))
      return sendJsonText(reply, writeDecision(decided))
    },
  )
}

/** The decision that an answer is about; undefined for an error. */
function decisionIn(kept: { text: string } | undefined): string | undefined {
  if (kept === undefined) return undefined
  const { decision_id: decisionId } = Object(JSON.parse(kept.text))
  return typeof decisionId === 'string' ? decisionId : undefined
}
