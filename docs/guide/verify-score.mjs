// Checks a published score with nothing but the address of a node of the chain:
//
//   node verify-score.mjs RPC_URL REGISTRY AGENT_ID [METADATA_FILE]
//
// It asks the ReputationRegistry for the score of the agent and looks for the transaction that
// wrote it. With the metadata, as GET /v1/on-chain/verify-proof/{agent_id} shows it, it also checks
// that this is what was hashed. Needs @touchstone/protocol, for keccak256 and canonical JSON.
import { readFile } from 'node:fs/promises'
import { metadataHash, onChainId } from '@touchstone/protocol'

const [url, registry, agentId, metadataFile] = process.argv.slice(2)
if (url === undefined || registry === undefined || agentId === undefined) {
  process.stderr.write('node verify-score.mjs RPC_URL REGISTRY AGENT_ID [METADATA_FILE]\n')
  process.exit(2)
}

/** keccak256 of getScore(bytes32), its first four bytes. */
const GET_SCORE = '0x7ba53285'
/** keccak256 of ScorePublished(bytes32,uint16,bytes3,bytes32,uint32). */
const SCORE_PUBLISHED = '0x4c84c95273dc594063c843637220d0c1e9429d1a573c21bac1e650c5ee102771'

async function rpc(method, params) {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result, error } = await answer.json()
  if (error !== undefined) throw new Error(`${method}: ${error.message}`)
  return result
}

/** The words of an ABI-encoded answer, 32 bytes each, as hex digits. */
const wordsOf = (data) => data.slice(2).match(/.{64}/g) ?? []
const textOf = (hex) => Buffer.from(hex, 'hex').toString().replaceAll('\0', '')

function fail(message) {
  process.stdout.write(`NOT verified: ${message}\n`)
  process.exit(1)
}

const id = onChainId(agentId)
const words = wordsOf(
  await rpc('eth_call', [{ to: registry, data: GET_SCORE + id.slice(2) }, 'latest']),
)
const [score, grade, publishedAt, block, index, prefix] = words
if (Number(`0x${index ?? 0}`) === 0) fail('the registry has no score of this agent')

const blockNumber = `0x${BigInt(`0x${block}`).toString(16)}`
const logs = await rpc('eth_getLogs', [
  {
    address: registry,
    fromBlock: blockNumber,
    toBlock: blockNumber,
    topics: [SCORE_PUBLISHED, id],
  },
])
const told = logs.map((log) => ({ hash: log.transactionHash, words: wordsOf(log.data) }))
const event = told.find(({ words: [, , , at] }) => BigInt(`0x${at}`) === BigInt(`0x${index}`))
if (event === undefined) fail('no transaction in that block published it')
const hash = `0x${event.words[2]}`
if (event.words[0] !== score || event.words[1] !== grade) fail('the event says another score')
if (!hash.startsWith(`0x${prefix.slice(0, 24)}`)) fail('the event has another metadata hash')
const receipt = await rpc('eth_getTransactionReceipt', [event.hash])
if (receipt?.status !== '0x1') fail('the transaction did not succeed')

process.stdout.write(`agent       ${agentId}
score       ${Number(`0x${score}`)}
grade       ${textOf(grade.slice(0, 6))}
published   ${new Date(Number(`0x${publishedAt}`) * 1000).toISOString()}
block       ${Number(blockNumber)}
transaction ${event.hash}
publication ${Number(`0x${index}`)} of this agent
metadata    ${hash}
`)

if (metadataFile !== undefined) {
  const given = JSON.parse(await readFile(metadataFile, 'utf8'))
  const metadata = given.metadata ?? given
  if (metadataHash(metadata) !== hash) fail('the metadata is not what was hashed')
  if (metadata.agent_id !== agentId || metadata.score !== Number(`0x${score}`)) {
    fail('the metadata is of another score')
  }
  process.stdout.write(
    `tree        ${metadata.merkle_root}, ${metadata.checkpoint_count} checkpoints\n`,
  )
}
process.stdout.write('verified\n')
