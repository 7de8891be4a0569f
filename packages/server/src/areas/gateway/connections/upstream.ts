import type { ModelProvider } from '../../../model-turn.ts'

/** Where the providers are reached. The operator sets them, never an organisation. */
export type Upstreams = {
  anthropic: string
  openai: string
  gemini: string
  /** The origins that connections to other servers can name. */
  openaiCompatible: readonly string[]
}

export const PUBLIC_UPSTREAMS: Upstreams = {
  anthropic: 'https://api.anthropic.com',
  openai: 'https://api.openai.com',
  gemini: 'https://generativelanguage.googleapis.com',
  openaiCompatible: [],
}

const URL_LENGTH_MAX = 2048

export type UpstreamCheck =
  | { ok: true; upstreamUrl: string | null }
  | { ok: false; code: 'invalid_request' | 'url_not_allowed'; reason: string }

/**
 * Checks the upstream of a new connection. The origin must be listed by the operator, whose list is
 * also the permission to call a private address; the URL cannot smuggle in another host or a query.
 */
export function judgeUpstream(
  provider: ModelProvider,
  given: string | undefined,
  upstreams: Upstreams,
): UpstreamCheck {
  if (provider !== 'openai_compatible') {
    if (given === undefined) return { ok: true, upstreamUrl: null }
    return invalid('can only be given for the provider openai_compatible')
  }
  if (given === undefined) return invalid('is required for the provider openai_compatible')
  if (given.length > URL_LENGTH_MAX || !URL.canParse(given)) return invalid('is not a URL')
  const url = new URL(given)
  if (url.username + url.password !== '') return invalid('must not contain a user or password')
  if (url.search + url.hash !== '' || given.includes('?') || given.includes('#')) {
    return invalid('must not contain a query or fragment')
  }
  const path = url.pathname.replace(/\/+$/, '')
  if (/%|\/\/|\\/.test(path)) return invalid('must have a plain path')
  if (path === '/v1' || path.endsWith('/v1')) return invalid('is the address before /v1')
  if (!upstreams.openaiCompatible.includes(url.origin)) {
    return {
      ok: false,
      code: 'url_not_allowed',
      reason: 'must begin with an origin that the operator lists in MODEL_GATEWAY_UPSTREAMS',
    }
  }
  return { ok: true, upstreamUrl: url.origin + path }
}

function invalid(reason: string): UpstreamCheck {
  return { ok: false, code: 'invalid_request', reason }
}

/** The address that the path of a request is appended to; undefined if it is not listed any more. */
export function upstreamOf(
  { provider, upstreamUrl }: { provider: ModelProvider; upstreamUrl: string | null },
  upstreams: Upstreams,
): string | undefined {
  if (provider !== 'openai_compatible') return upstreams[provider]
  if (upstreamUrl === null) return undefined
  return upstreams.openaiCompatible.includes(new URL(upstreamUrl).origin) ? upstreamUrl : undefined
}
