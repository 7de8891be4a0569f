import type { RequestTarget, WireName } from '@touchstone/protocol/model-wire'
import { MODEL_PROVIDERS, type ModelProvider } from '../../../model-turn.ts'

/** A request to the relay, split as it was sent: nothing is decoded. */
export type RelayTarget = {
  /** Undefined if the token is in a header. */
  token: string | undefined
  provider: ModelProvider | undefined
  /** Below the provider, without a leading slash and without the query. */
  path: string
  query: string | undefined
}

const PREFIX = '/llm/'
const TOKEN_PREFIX = 'tgw_'

/** Splits `/llm/{token}/{provider}/…` and `/llm/{provider}/…`. */
export function splitTarget(url: string): RelayTarget {
  const at = url.indexOf('?')
  const whole = at === -1 ? url : url.slice(0, at)
  const query = at === -1 ? undefined : url.slice(at + 1)
  const segments = whole.startsWith(PREFIX) ? whole.slice(PREFIX.length).split('/') : []
  const token = segments[0]?.startsWith(TOKEN_PREFIX) ? segments.shift() : undefined
  const name = segments.shift()
  const provider = MODEL_PROVIDERS.find((known) => known === name)
  return { token, provider, path: segments.join('/'), query }
}

/** The path as the request log shows it: without the token, and without the query. */
export function loggedPath({ token, provider, path }: RelayTarget): string {
  const below = provider === undefined ? '' : `${provider}/${path}`
  return `${PREFIX}${token === undefined ? '' : '[token]/'}${below}`.replaceAll(
    /tgw_[0-9A-Za-z]*/g,
    '[token]',
  )
}

/** The target as the wires read it. */
export function requestTargetOf({ path, query }: RelayTarget): RequestTarget {
  return query === undefined ? { path } : { path, query }
}

export type Route =
  | { kind: 'governed'; wire: WireName }
  /** Forwarded unread. `canCarryCalls` if its answer might contain calls that nobody decides. */
  | { kind: 'unread'; canCarryCalls: boolean }
  /** A disguised form of a governed path. */
  | { kind: 'malformed' }
  /** Some servers answer there as a model, too; the address of the connection may lack its version. */
  | { kind: 'misplaced' }

type GovernedPath = { path: RegExp; wire: WireName }

const MODEL_ACTION = '(models|tunedModels)/[^/:]+:(generateContent|streamGenerateContent)'

const GOVERNED: Record<ModelProvider, readonly GovernedPath[]> = {
  anthropic: [{ path: /^v1\/messages$/, wire: 'anthropic' }],
  openai: [
    { path: /^v1\/chat\/completions$/, wire: 'openai-chat' },
    { path: /^v1\/responses$/, wire: 'openai-responses' },
  ],
  openai_compatible: [
    { path: /^v1\/chat\/completions$/, wire: 'openai-chat' },
    { path: /^v1\/responses$/, wire: 'openai-responses' },
  ],
  gemini: [
    // The same API answers under all of its versions.
    { path: new RegExp(`^v1(beta|alpha)?/${MODEL_ACTION}$`), wire: 'gemini' },
    { path: /^v1(beta|alpha)?\/openai\/chat\/completions$/, wire: 'openai-chat' },
  ],
}

/** Routes whose answers cannot carry tool calls. Everything else unread is refused with a sealed key. */
const HARMLESS: Record<ModelProvider, readonly RegExp[]> = {
  anthropic: [
    /^POST v1\/messages\/count_tokens$/,
    /^GET v1\/models(\/[^/]+)?$/,
    /^(GET|POST|DELETE) v1\/files(\/[^/]+)?$/,
  ],
  openai: openAiRoutes(),
  openai_compatible: openAiRoutes(),
  gemini: [
    /^GET v1(beta|alpha)?\/(models|tunedModels)(\/[^/:]+)?$/,
    /^POST v1(beta|alpha)?\/models\/[^/:]+:(countTokens|embedContent|batchEmbedContents)$/,
    /^(GET|POST|PUT) upload\/v1(beta|alpha)?\/files$/,
    /^(GET|DELETE) v1(beta|alpha)?\/files(\/[^/:]+)?$/,
    /^(GET|POST|PATCH|DELETE) v1(beta|alpha)?\/cachedContents(\/[^/:]+)?$/,
  ],
}

function openAiRoutes(): readonly RegExp[] {
  return [
    /^GET v1\/models(\/[^/]+)?$/,
    /^POST v1\/(embeddings|moderations|completions)$/,
    /^POST v1\/images\/(generations|edits|variations)$/,
    /^POST v1\/audio\/(speech|transcriptions|translations)$/,
    /^POST v1\/responses\/input_tokens$/,
    // Not their content: the output of a batch is a file.
    /^(GET|POST|DELETE) v1\/files(\/[^/]+)?$/,
    /^POST v1\/uploads(\/[^/]+\/(parts|complete|cancel))?$/,
  ]
}

/** Where servers that speak several APIs, or tolerate a missing version, take turns of a model. */
const ELSEWHERE = [
  /(^|\/)chat\/completions$/,
  /^(.+\/)?responses$/,
  /^messages$|(^|\/)v\d\w*\/messages$/,
  /(^|\/)api\/(chat|generate)$/,
  /(^|\/)invocations$/,
  /:(generateContent|streamGenerateContent)$/,
]

/** The governed paths of a provider as people write them. */
export const GOVERNED_PATHS: Record<ModelProvider, string> = {
  anthropic: '/v1/messages',
  openai: '/v1/chat/completions and /v1/responses',
  openai_compatible: '/v1/chat/completions and /v1/responses',
  gemini:
    '/v1beta/models/…:generateContent, :streamGenerateContent and /v1beta/openai/chat/completions',
}

/** Finds out how a request is handled (spec: model-gateway §6). */
export function routeOf(provider: ModelProvider, method: string, path: string): Route {
  if (isAmbiguous(path)) return { kind: 'malformed' }
  const governed = GOVERNED[provider].find((known) => known.path.test(path))
  if (governed !== undefined && method === 'POST') return { kind: 'governed', wire: governed.wire }
  const plain = plainForm(path)
  const isDisguised = plain !== path && GOVERNED[provider].some((known) => known.path.test(plain))
  if (isDisguised) return { kind: 'malformed' }
  if (method === 'POST' && ELSEWHERE.some((known) => known.test(plain)))
    return { kind: 'misplaced' }
  const canCarryCalls = !HARMLESS[provider].some((known) => known.test(`${method} ${path}`))
  return { kind: 'unread', canCarryCalls }
}

/** Servers disagree about the meaning of such paths, so none of them is passed on. */
function isAmbiguous(path: string): boolean {
  const decoded = decodeFully(path)
  if (decoded === undefined) return true
  return (
    /\/\/|\\|\s|\p{Cc}/u.test(decoded) ||
    decoded.startsWith('/') ||
    /(^|\/)\.{1,2}(\/|$)/.test(decoded) ||
    /%2f/i.test(path)
  )
}

/** The path that a lenient server might take it for. */
function plainForm(path: string): string {
  const decoded = decodeFully(path) ?? path
  const [withoutParameters = ''] = decoded.split(';', 1)
  const plain = withoutParameters.replace(/\/+$/, '')
  const version = /^v1[a-z]*/i.exec(plain)?.[0] ?? ''
  const rest = plain.slice(version.length)
  return version.toLowerCase() + lowerOutsideModel(rest)
}

/** The names of Gemini's actions are in camel case. */
function lowerOutsideModel(rest: string): string {
  const action = /:(generatecontent|streamgeneratecontent)$/i.exec(rest)
  if (action === null) return rest.toLowerCase()
  const name =
    action[1]?.toLowerCase() === 'generatecontent' ? 'generateContent' : 'streamGenerateContent'
  const before = rest.slice(0, action.index)
  return `${before.toLowerCase().replace('tunedmodels', 'tunedModels')}:${name}`
}

const DECODINGS_MAX = 3

/** Undefined if it cannot be decoded, or is encoded more often than any client would. */
function decodeFully(path: string): string | undefined {
  let text = path
  for (let round = 0; round < DECODINGS_MAX; round += 1) {
    if (!text.includes('%')) return text
    try {
      text = decodeURIComponent(text)
    } catch {
      return undefined
    }
  }
  return text.includes('%') ? undefined : text
}
