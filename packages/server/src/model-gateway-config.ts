import { PUBLIC_UPSTREAMS, type Upstreams } from './areas/gateway/connections/upstream.ts'
import { ConfigError, type Reader } from './config-reader.ts'

/** Waits that are no settings of the operator; shorter in tests. */
export type ModelGatewayWaits = {
  /** A provider may think this long without a byte. */
  silentMsMax: number
  /** Between two keep-alives while calls are held. */
  keepAliveMs: number
}

const WAITS: ModelGatewayWaits = { silentMsMax: 600_000, keepAliveMs: 10_000 }

export type ModelGatewaySettings = {
  waits: ModelGatewayWaits
  upstreams: Upstreams
  /** How long a call that waits for an approval is held. */
  escalationHoldMs: number
  /** How long a held call waits for the analysis of the turn's thinking. */
  analysisHoldMs: number
}

const HOLD_SECONDS_MAX = 600
const ANALYSIS_MS_MAX = 60_000

export function readModelGateway(
  read: Reader,
  upstreams: string | undefined,
): ModelGatewaySettings {
  const holdSeconds = read.integer('ESCALATION_HOLD_SECONDS', 60, { min: 0, max: HOLD_SECONDS_MAX })
  return {
    waits: WAITS,
    upstreams: readUpstreams(upstreams),
    escalationHoldMs: holdSeconds * 1000,
    analysisHoldMs: read.integer('ANALYSIS_HOLD_MS', 2000, { min: 0, max: ANALYSIS_MS_MAX }),
  }
}

const WRONG =
  'MODEL_GATEWAY_UPSTREAMS must be JSON like {"openai_compatible":["http://localhost:11434"]}; the keys anthropic, openai and gemini take one origin each.'

const FIELDS = ['anthropic', 'openai', 'gemini', 'openai_compatible']

function readUpstreams(text: string | undefined): Upstreams {
  if (text === undefined || text === '') return PUBLIC_UPSTREAMS
  const given = parseObject(text)
  if (Object.keys(given).some((name) => !FIELDS.includes(name))) throw new ConfigError(WRONG)
  const { openai_compatible: others = [] } = given
  if (!Array.isArray(others)) throw new ConfigError(WRONG)
  return {
    anthropic: originIn(given['anthropic'], PUBLIC_UPSTREAMS.anthropic),
    openai: originIn(given['openai'], PUBLIC_UPSTREAMS.openai),
    gemini: originIn(given['gemini'], PUBLIC_UPSTREAMS.gemini),
    openaiCompatible: others.map((one) => originIn(one)),
  }
}

function parseObject(text: string): Record<string, unknown> {
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch {
    throw new ConfigError(WRONG)
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new ConfigError(WRONG)
  }
  return { ...given }
}

function originIn(value: unknown, fallback?: string): string {
  const origin = value ?? fallback
  if (typeof origin !== 'string' || !URL.canParse(origin)) throw new ConfigError(WRONG)
  const url = new URL(origin)
  const isHttp = url.protocol === 'https:' || url.protocol === 'http:'
  if (isHttp && url.origin === origin) return origin
  throw new ConfigError(`${WRONG} "${origin}" is not an origin.`)
}
