import type { ModelConnection, ModelProvider } from '../../../model-turn.ts'

export const ON_CONTAINED = ['refuse', 'turn'] as const satisfies ModelConnection['onContained'][]
export type OnContained = (typeof ON_CONTAINED)[number]

export const ON_ERROR = ['fail_closed', 'fail_open'] as const satisfies ModelConnection['onError'][]
export type OnError = (typeof ON_ERROR)[number]

export const CONNECTION_MODES = ['enforce', 'observe'] as const satisfies ModelConnection['mode'][]
export type ConnectionMode = (typeof CONNECTION_MODES)[number]

/** An address under which one agent reaches one model provider (spec: model-gateway §5). */
export type Connection = ModelConnection & {
  name: string
  tokenHash: string
  tokenPrefix: string
  createdBy: string
  createdAt: Date
  lastUsedAt: Date | null
}

/** The part of the base URL that clients of the provider expect their own path to follow. */
const VERSION_PATH: Record<ModelProvider, string> = {
  anthropic: '',
  openai: '/v1',
  gemini: '',
  openai_compatible: '/v1',
}

const BASE_URL_VARIABLES: Record<ModelProvider, string> = {
  anthropic: 'ANTHROPIC_BASE_URL',
  openai: 'OPENAI_BASE_URL',
  gemini: 'GOOGLE_GEMINI_BASE_URL',
  openai_compatible: 'OPENAI_BASE_URL',
}

const KEY_VARIABLES: Record<ModelProvider, string> = {
  anthropic: 'ANTHROPIC_API_KEY',
  openai: 'OPENAI_API_KEY',
  gemini: 'GEMINI_API_KEY',
  openai_compatible: 'OPENAI_API_KEY',
}

/** Clients do not start without a key, so one is given that the gateway replaces. */
const KEY_PLACEHOLDER = 'sealed-by-touchstone'

/** The address for clients that can set nothing but an address. */
export function baseUrlOf(serviceUrl: string, token: string, provider: ModelProvider): string {
  return `${serviceUrl}/llm/${token}/${provider}`
}

/** The environment variables that send the provider's clients through the gateway. */
export function environmentOf(
  baseUrl: string,
  { provider, sealedCredential }: Pick<Connection, 'provider' | 'sealedCredential'>,
): Record<string, string> {
  return {
    [BASE_URL_VARIABLES[provider]]: baseUrl + VERSION_PATH[provider],
    ...(sealedCredential === null ? {} : { [KEY_VARIABLES[provider]]: KEY_PLACEHOLDER }),
  }
}
