import { requireTenant } from '../../../http/access/guard.ts'
import { sendJsonText } from '../../../http/answers/published.ts'
import { rawBody } from '../../../http/body/body.ts'
import { cutBodyAt, wasCut } from '../../../http/body/cut-body.ts'
import { boundAgentOf } from '../../../http/identity/caller.ts'
import type { Server } from '../../../http/server.ts'
import {
  dialectOf,
  HookAnswer,
  HookBody,
  HookParams,
  readEvent,
  unreadReason,
  writeAnswer,
} from './schema.ts'
import type { HookService } from './service.ts'

/** As for decisions: arguments of 1 MB in any JSON escaping. */
const BODY_BYTES_MAX = 6.5 * 1024 * 1024
/** A longer body is still read, because some clients let a call run after 413. */
const READ_BYTES_MAX = 32 * 1024 * 1024

const TOO_LONG = 'unreadable_arguments: the input has more than 6.5 MB'

export function hookRoutes(app: Server, hooks: HookService): void {
  app.post(
    '/v1/hooks/:client',
    {
      bodyLimit: READ_BYTES_MAX,
      preParsing: cutBodyAt(BODY_BYTES_MAX),
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
      const body = rawBody(req)
      const isTooLong = wasCut(req) || body.length > BODY_BYTES_MAX
      const event = isTooLong ? undefined : readEvent(dialect, body)
      const unread = isTooLong ? TOO_LONG : unreadReason(event, body)
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
