import { JSON_LIMITS } from '@touchstone/protocol/base'
import type { AnsweredEvent, HookDecision, HookDialect, HookFailure } from '@touchstone/sdk/hooks'
import { DIALECTS } from '@touchstone/sdk/hooks'
import { HOOK_CLIENTS } from '@touchstone/sdk/hooks/clients'
import { Type } from 'typebox'
import { parseStrictJson } from '../../../http/body/strict-json.ts'
import { NamedObject } from '../../../http/openapi/named.ts'
import { Problem } from '../../../kernel/problem.ts'

/** Windsurf reads only exit codes, so a body could not stop its calls. */
const HTTP_CLIENTS = HOOK_CLIENTS.filter((client) => client !== 'windsurf')

export const HookParams = Type.Object({
  client: Type.String({ description: HTTP_CLIENTS.join(', ') }),
})

export const HookBody = NamedObject(
  'HookEvent',
  {},
  { additionalProperties: true, description: 'the input that the client gives to its hooks' },
)

export const HookAnswer = NamedObject(
  'HookAnswer',
  {},
  {
    additionalProperties: true,
    description: 'The answer in the form that the client expects; empty if nothing stops the call',
  },
)

export function dialectOf(name: string): HookDialect {
  const client = HTTP_CLIENTS.find((known) => known === name)
  if (client !== undefined) return DIALECTS[client]
  throw new Problem('not_found', `No such client. Known: ${HTTP_CLIENTS.join(', ')}.`)
}

/** Returns undefined for input that is no event of the client. */
export function readEvent(dialect: HookDialect, body: Buffer) {
  const parsed = parseStrictJson(body)
  return parsed.ok ? dialect.read(parsed.value) : undefined
}

/** Why a call cannot be decided as the client will make it. A result may have any number. */
export function unreadReason(event: AnsweredEvent | undefined, body: Buffer): string | undefined {
  if (event === undefined) return 'the input is no event of this client'
  if (event.event !== 'pre_tool') return undefined
  const parsed = parseStrictJson(body, { ...JSON_LIMITS, exactIntegers: true })
  return parsed.ok ? undefined : `unreadable_arguments: ${parsed.reason}`
}

/** The body of the answer: what a hook program would print. */
export function writeAnswer(
  dialect: HookDialect,
  event: AnsweredEvent | undefined,
  decision: HookDecision | HookFailure | undefined,
): string {
  return (decision && dialect.answer(event, decision).stdout) ?? '{}'
}
