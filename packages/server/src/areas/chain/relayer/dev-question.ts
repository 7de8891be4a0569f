/**
 * The allowlist and limits of public queries to the development chain: a query by a stranger
 * must not keep the chain busy, because the relayer needs it.
 */

/** The gas limit of one transaction (EIP-7825): about 30 ms of CPU and 3 MB of memory. */
const CALL_GAS_MAX = 2 ** 24
const LOG_BLOCKS_MAX = 100
const TOPICS_MAX = 4
const DATA_DIGITS_MAX = 2 + 2 * 128 * 1024

const HASH = /^0x[0-9a-f]{64}$/i
const ADDRESS = /^0x[0-9a-f]{40}$/i
const QUANTITY = /^0x[0-9a-f]{1,64}$/i
const BLOCK_NUMBER = /^0x[0-9a-f]{1,12}$/i
const BLOCK_TAG = /^(latest|earliest|pending|safe|finalized)$/

type Params = readonly unknown[]
type Fields = Readonly<Record<string, unknown>>

/**
 * Read-only methods (spec: chain §4). Each returns the parameters to forward, or undefined to
 * refuse.
 */
const QUESTIONS: Readonly<Record<string, (params: Params) => Params | undefined>> = {
  eth_chainId: none,
  eth_blockNumber: none,
  eth_call: call,
  eth_getTransactionByHash: oneHash,
  eth_getTransactionReceipt: oneHash,
  eth_getLogs: logs,
  eth_getCode: ([address, block = 'latest', ...more]) =>
    more.length === 0 && fits(ADDRESS, address) && isBlock(block) ? [address, block] : undefined,
}

export type Question = 'unknown' | 'malformed' | { params: Params }

export function boundQuestion(method: string, params: Params): Question {
  const bound = Object.hasOwn(QUESTIONS, method) ? QUESTIONS[method] : undefined
  if (bound === undefined) return 'unknown'
  const bounded = bound(params)
  return bounded === undefined ? 'malformed' : { params: bounded }
}

function none(params: Params): Params | undefined {
  return params.length === 0 ? [] : undefined
}

function oneHash(params: Params): Params | undefined {
  return params.length === 1 && fits(HASH, params[0]) ? params : undefined
}

/** Copies only the allowed fields; state and block overrides are dropped. */
function call([asked, block = 'latest', ...more]: Params): Params | undefined {
  if (!isFields(asked) || !isBlock(block) || more.length > 0) return undefined
  const { from, to, value, gas } = asked
  const data = asked['data'] ?? asked['input']
  const isGood =
    (from === undefined || fits(ADDRESS, from)) &&
    (to === undefined || fits(ADDRESS, to)) &&
    (value === undefined || fits(QUANTITY, value)) &&
    (gas === undefined || fits(QUANTITY, gas)) &&
    (data === undefined || isData(data))
  if (!isGood) return undefined
  const limit = gas === undefined ? CALL_GAS_MAX : Math.min(Number(gas), CALL_GAS_MAX)
  return [{ from, to, data, value, gas: `0x${limit.toString(16)}` }, block]
}

function logs([asked, ...more]: Params): Params | undefined {
  if (!isFields(asked) || more.length > 0) return undefined
  const { address, topics, blockHash, fromBlock, toBlock } = asked
  if (address !== undefined && !isOneOrSome(ADDRESS, address)) return undefined
  if (topics !== undefined && !isTopics(topics)) return undefined
  if (blockHash !== undefined) {
    return fits(HASH, blockHash) ? [{ address, topics, blockHash }] : undefined
  }
  return isShort(fromBlock, toBlock) ? [{ address, topics, fromBlock, toBlock }] : undefined
}

/** Two close numbers, or the same tag twice: the distance between a tag and a number varies. */
function isShort(from: unknown = 'latest', to: unknown = 'latest'): boolean {
  if (fits(BLOCK_NUMBER, from) && fits(BLOCK_NUMBER, to)) {
    return Number(to) - Number(from) < LOG_BLOCKS_MAX
  }
  return from === to && fits(BLOCK_TAG, from)
}

function isTopics(value: unknown): boolean {
  const isTopic = (topic: unknown) => topic === null || isOneOrSome(HASH, topic)
  return Array.isArray(value) && value.length <= TOPICS_MAX && value.every(isTopic)
}

const SOME_MAX = 20

function isOneOrSome(form: RegExp, value: unknown): boolean {
  if (!Array.isArray(value)) return fits(form, value)
  return value.length <= SOME_MAX && value.every((one) => fits(form, one))
}

function isData(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    value.length <= DATA_DIGITS_MAX &&
    /^0x([0-9a-f]{2})*$/i.test(value)
  )
}

function isBlock(value: unknown): boolean {
  return fits(BLOCK_NUMBER, value) || fits(BLOCK_TAG, value)
}

function fits(form: RegExp, value: unknown): boolean {
  return typeof value === 'string' && form.test(value)
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
