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
const BLOCK = /^(0x[0-9a-f]{1,12}|latest|earliest|pending|safe|finalized)$/i

type Params = readonly unknown[]
type Fields = Readonly<Record<string, unknown>>

/**
 * Read-only methods (spec: chain §4). Each returns the parameters to forward, or undefined to
 * refuse.
 */
const QUESTIONS: Readonly<Record<string, (params: Params) => Params | undefined>> = {
  net_version: none,
  net_listening: none,
  web3_clientVersion: none,
  eth_chainId: none,
  eth_syncing: none,
  eth_blockNumber: none,
  eth_gasPrice: none,
  eth_maxPriorityFeePerGas: none,
  eth_blobBaseFee: none,
  eth_feeHistory: feeHistory,
  eth_call: call,
  eth_estimateGas: call,
  eth_createAccessList: call,
  eth_getBalance: ofAccount,
  eth_getCode: ofAccount,
  eth_getTransactionCount: ofAccount,
  eth_getStorageAt: ([address, slot, block = 'latest', ...more]) =>
    more.length === 0 && fits(ADDRESS, address) && fits(QUANTITY, slot) && isBlock(block)
      ? [address, slot, block]
      : undefined,
  eth_getProof: ([address, slots, block = 'latest', ...more]) =>
    more.length === 0 && fits(ADDRESS, address) && isList(QUANTITY, slots) && isBlock(block)
      ? [address, slots, block]
      : undefined,
  eth_getBlockByHash: ([hash, ...more]) => withFlag(HASH, hash, more),
  eth_getBlockByNumber: ([block, ...more]) => withFlag(BLOCK, block, more),
  eth_getBlockReceipts: one(BLOCK),
  eth_getBlockTransactionCountByHash: one(HASH),
  eth_getBlockTransactionCountByNumber: one(BLOCK),
  eth_getUncleCountByBlockHash: one(HASH),
  eth_getUncleCountByBlockNumber: one(BLOCK),
  eth_getTransactionByHash: one(HASH),
  eth_getTransactionByBlockHashAndIndex: withIndex(HASH),
  eth_getTransactionByBlockNumberAndIndex: withIndex(BLOCK),
  eth_getTransactionReceipt: one(HASH),
  eth_getLogs: logs,
}

/** An estimate runs a call up to 24 times; answers of the others can have several 100 kB. */
const COSTLY: ReadonlySet<string> = new Set([
  'eth_estimateGas',
  'eth_createAccessList',
  'eth_getLogs',
  'eth_getBlockReceipts',
])
const COSTLY_CALL = 10

/** At most 7 s of the chain's CPU. */
export const BATCH_COST_MAX = 100

/** How often calls count towards the rate limit. */
export function costOf(calls: readonly { method: string }[]): number {
  return calls.reduce((sum, { method }) => sum + (COSTLY.has(method) ? COSTLY_CALL : 1), 0)
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

function one(form: RegExp): (params: Params) => Params | undefined {
  return (params) => (params.length === 1 && fits(form, params[0]) ? params : undefined)
}

function ofAccount([address, block = 'latest', ...more]: Params): Params | undefined {
  return more.length === 0 && fits(ADDRESS, address) && isBlock(block)
    ? [address, block]
    : undefined
}

/** Whether the block's transactions are included. */
function withFlag(form: RegExp, block: unknown, [full = false, ...more]: Params) {
  const isGood = more.length === 0 && fits(form, block) && typeof full === 'boolean'
  return isGood ? [block, full] : undefined
}

function withIndex(form: RegExp): (params: Params) => Params | undefined {
  return (params) => {
    const [block, index] = params
    return params.length === 2 && fits(form, block) && fits(QUANTITY, index) ? params : undefined
  }
}

function feeHistory([count, newest, percentiles = [], ...more]: Params): Params | undefined {
  const blocks = typeof count === 'number' ? count : fits(QUANTITY, count) ? Number(count) : 0
  const isGood =
    more.length === 0 &&
    Number.isInteger(blocks) &&
    blocks >= 1 &&
    blocks <= LOG_BLOCKS_MAX &&
    isBlock(newest) &&
    Array.isArray(percentiles) &&
    percentiles.length <= SOME_MAX &&
    percentiles.every((share) => typeof share === 'number' && share >= 0 && share <= 100)
  return isGood ? [`0x${blocks.toString(16)}`, newest, percentiles] : undefined
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
  return Array.isArray(value) ? isList(form, value) : fits(form, value)
}

function isList(form: RegExp, value: unknown): boolean {
  return Array.isArray(value) && value.length <= SOME_MAX && value.every((item) => fits(form, item))
}

function isData(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    value.length <= DATA_DIGITS_MAX &&
    /^0x([0-9a-f]{2})*$/i.test(value)
  )
}

function isBlock(value: unknown): boolean {
  return fits(BLOCK, value)
}

function fits(form: RegExp, value: unknown): boolean {
  return typeof value === 'string' && form.test(value)
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
