import type { WireName } from '@touchstone/protocol/model-wire'
import type { ModelProvider } from '../../../model-turn.ts'

/** A request that is refused before the provider is asked. */
export type Refusal = {
  status: number
  message: string
  headers?: Readonly<Record<string, string>>
}

/** The wire whose errors the provider's clients understand on routes that nobody reads. */
export const WIRE_OF_PROVIDER: Record<ModelProvider, WireName> = {
  anthropic: 'anthropic',
  openai: 'openai-chat',
  openai_compatible: 'openai-chat',
  gemini: 'gemini',
}

export const REFUSALS = {
  starting: {
    status: 503,
    message: 'Touchstone is not ready. Retry in a few seconds.',
    headers: { 'retry-after': '5' },
  },
  token: { status: 401, message: 'The Touchstone token is missing, unknown or revoked.' },
  provider: { status: 404, message: 'The Touchstone token is for another provider.' },
  path: {
    status: 400,
    message: 'Touchstone accepts this path only in its plain form, without encoding.',
  },
  sealed: {
    status: 403,
    message:
      'This route could return tool calls that nobody decides, so Touchstone refuses it for connections with a sealed key.',
  },
  background: {
    status: 403,
    message:
      'A background response is fetched by a route that nobody reads, so Touchstone refuses it for connections with a sealed key.',
  },
  unlisted: {
    status: 403,
    message: 'The operator of Touchstone no longer lists this model server.',
  },
  size: { status: 413, message: 'Touchstone accepts bodies of at most 32 MB.' },
  full: {
    status: 503,
    message: 'Touchstone reads too many large bodies at once. Retry in a few seconds.',
    headers: { 'retry-after': '5' },
  },
  encoding: { status: 415, message: 'Touchstone accepts bodies without Content-Encoding only.' },
  unreadable: {
    status: 502,
    message:
      'The model provider sent an answer that cannot be read, so a call in it could not be judged.',
  },
  compressed: {
    status: 502,
    message: 'The model provider sent a compressed answer although identity was asked.',
  },
  tooLong: {
    status: 502,
    message: 'The model provider sent an answer of more than 32 MB that is not streamed.',
  },
  broken: { status: 502, message: 'The model provider closed the connection.' },
  unreachable: { status: 502, message: 'The model provider cannot be reached.' },
  timeout: { status: 504, message: 'The model provider did not answer in time.' },
  failed: {
    status: 503,
    message: 'Touchstone failed to judge this request, so it was not passed on.',
  },
} as const satisfies Record<string, Refusal>

/** `governed` are the paths at which the calls of a model are decided. */
export function misplaced(governed: string): Refusal {
  return {
    status: 404,
    message: `Nobody decides the tool calls of a model at this path, so Touchstone does not pass it on. Use ${governed}; the address of the program may lack its version.`,
  }
}
