import { requireTenant } from '../../../http/access/guard.ts'
import { sendJsonText } from '../../../http/answers/published.ts'
import { rawBody } from '../../../http/body/body.ts'
import { boundAgentOf } from '../../../http/identity/caller.ts'
import type { Server } from '../../../http/server.ts'
import {
  dialectOf,
  HookAnswer,
  HookBody,
  HookParams,
  inexactCall,
  readEvent,
  writeAnswer,
} from './schema.ts'
import type { HookService } from './service.ts'

/** As for decisions: arguments of 1 MB in any JSON escaping. */
const BODY_BYTES_MAX = 6.5 * 1024 * 1024

export function hookRoutes(app: Server, hooks: HookService): void {
  app.post(
    '/v1/hooks/:client',
    {
      bodyLimit: BODY_BYTES_MAX,
      config: {
        access: 'gateway.decide',
        agentFrom: 'handler',
        perMinute: 'plan',
        replays: 'handler',
        parses: 'handler',
      },
      schema: {
        operationId: 'handleHook',
        summary: 'Answer an event of a coding agent',
        description:
          'The client posts the input of its hook. Needs a key that is bound to an agent. Input that cannot be read is answered with a denial, because some clients let a call run after an error.',
        tags: ['gateway'],
        params: HookParams,
        body: HookBody,
        response: { 200: HookAnswer },
      },
    },
    async (req, reply) => {
      const { client } = req.params
      const dialect = dialectOf(client)
      const agentId = boundAgentOf(req.caller)
      const enforces = req.caller.kind !== 'key' || req.caller.enforces
      const event = readEvent(dialect, rawBody(req))
      const inexact = event && inexactCall(event, rawBody(req))
      const unread = event === undefined ? 'the input is no event of this client' : inexact
      if (agentId === undefined || req.caller.kind !== 'key' || event === undefined || unread) {
        const problem = unread ?? 'the API key is not bound to an agent'
        return sendJsonText(
          reply,
          writeAnswer(dialect, event, hooks.failure({ enforces }, problem)),
        )
      }
      const caller = { keyId: req.caller.keyId, agentId, enforces, client }
      const decision = await hooks.handle(requireTenant(req), caller, event)
      return sendJsonText(reply, writeAnswer(dialect, event, decision))
    },
  )
}
