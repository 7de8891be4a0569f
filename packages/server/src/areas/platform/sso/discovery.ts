import { isJsonObject } from '@touchstone/protocol/base'

/** How a provider authenticates its clients at the token endpoint. */
export type TokenAuth = 'client_secret_basic' | 'client_secret_post' | 'none'

/** The part of a provider's metadata that a sign-in uses (OpenID Connect Discovery 1.0 §3). */
export type Discovery = {
  issuer: string
  authorizationEndpoint: string
  tokenEndpoint: string
  jwksUri: string
  userinfoEndpoint: string | undefined
  tokenAuth: TokenAuth
  /** RFC 9207: the response names its issuer. */
  namesIssuer: boolean
}

export type DiscoveryOutcome =
  | { valid: true; discovery: Discovery }
  | { valid: false; reason: string }

/** The accepted signatures of ID tokens; a shared secret or `none` is never accepted. */
export const ID_TOKEN_ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const

const URL_LENGTH_MAX = 2048
/** It is part of the subject of each person, which an index bounds. */
export const ISSUER_LENGTH_MAX = 512

/** OpenID Connect Discovery 1.0 §4: a final slash of the issuer is not repeated. */
export function discoveryUrl(issuer: string): string {
  return `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
}

/** An issuer has neither query nor fragment (OpenID Connect Discovery 1.0 §2). */
export function isIssuer(text: string): boolean {
  return isEndpoint(text) && text.length <= ISSUER_LENGTH_MAX && !/[?#]/.test(text)
}

export function readDiscovery(
  document: unknown,
  expected: { issuer: string; hasSecret: boolean },
): DiscoveryOutcome {
  if (!isJsonObject(document)) return invalid('The discovery document is not a JSON object.')
  // An exact match is what prevents one provider from speaking for another.
  if (document['issuer'] !== expected.issuer) {
    return invalid("The discovery document's issuer differs from the configured one.")
  }
  const scheme = schemeOf(expected.issuer)
  const endpoint = (name: string): string | undefined => {
    const value = document[name]
    return isEndpoint(value) && schemeOf(value) === scheme ? value : undefined
  }
  const authorizationEndpoint = endpoint('authorization_endpoint')
  const tokenEndpoint = endpoint('token_endpoint')
  const jwksUri = endpoint('jwks_uri')
  if (!authorizationEndpoint || !tokenEndpoint || !jwksUri) {
    return invalid(
      'The discovery document must have authorization_endpoint, token_endpoint and jwks_uri.',
    )
  }
  const missing = missingCapability(document)
  if (missing !== undefined) return invalid(missing)
  const tokenAuth = tokenAuthOf(document, expected.hasSecret)
  if (tokenAuth === undefined) {
    return invalid('The provider must accept client_secret_basic or client_secret_post.')
  }
  return {
    valid: true,
    discovery: {
      issuer: expected.issuer,
      authorizationEndpoint,
      tokenEndpoint,
      jwksUri,
      userinfoEndpoint: endpoint('userinfo_endpoint'),
      tokenAuth,
      namesIssuer: document['authorization_response_iss_parameter_supported'] === true,
    },
  }
}

/** A list that the document omits restricts nothing. */
function missingCapability(document: Readonly<Record<string, unknown>>): string | undefined {
  const lacks = (name: string, wanted: readonly string[]): boolean => {
    const listed = textsOf(document[name])
    return listed !== undefined && !wanted.some((value) => listed.includes(value))
  }
  if (lacks('response_types_supported', ['code'])) {
    return 'The provider must support the response type code.'
  }
  if (lacks('code_challenge_methods_supported', ['S256'])) {
    return 'The provider must support PKCE with S256.'
  }
  if (lacks('id_token_signing_alg_values_supported', ID_TOKEN_ALGORITHMS)) {
    return `The provider must sign ID tokens with ${ID_TOKEN_ALGORITHMS.join(', ')}.`
  }
  return undefined
}

function tokenAuthOf(
  document: Readonly<Record<string, unknown>>,
  hasSecret: boolean,
): TokenAuth | undefined {
  if (!hasSecret) return 'none'
  // OpenID Connect Discovery 1.0 §3: the default is client_secret_basic.
  const listed = textsOf(document['token_endpoint_auth_methods_supported'])
  if (listed === undefined || listed.includes('client_secret_basic')) return 'client_secret_basic'
  return listed.includes('client_secret_post') ? 'client_secret_post' : undefined
}

function textsOf(value: unknown): string[] | undefined {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : undefined
}

/** The browser is redirected to one of them, so other schemes, such as `javascript:`, are refused. */
function isEndpoint(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > URL_LENGTH_MAX || !URL.canParse(value)) {
    return false
  }
  return ['https:', 'http:'].includes(schemeOf(value)) && !value.includes('#')
}

function schemeOf(url: string): string {
  return new URL(url).protocol
}

function invalid(reason: string): DiscoveryOutcome {
  return { valid: false, reason }
}
