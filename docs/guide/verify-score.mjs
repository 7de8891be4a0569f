// Verifies a published score with nothing but the URL of a node of the chain:
//
//   node verify-score.mjs RPC_URL REGISTRY AGENT_ID [METADATA_FILE]
//
// It reads the score of the agent from the ReputationRegistry and finds the transaction that wrote
// it. With the response of GET /v1/on-chain/verify-proof/{agent_id} it also checks that the metadata
// matches the hash. Needs @touchstone/protocol, like `touchstone verify on-chain`.
import { readFile } from 'node:fs/promises'
import { metadataFault, readPublishedScore } from '@touchstone/protocol/chain'

const [url, registry, agentId, metadataFile] = process.argv.slice(2)
if (url === undefined || registry === undefined || agentId === undefined) {
  process.stderr.write('node verify-score.mjs RPC_URL REGISTRY AGENT_ID [METADATA_FILE]\n')
  process.exit(2)
}

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

function fail(message) {
  process.stdout.write(`NOT verified: ${message}\n`)
  process.exit(1)
}

const { published, fault } = await readPublishedScore(rpc, { registry, agentId }).catch((err) => {
  process.stderr.write(`${url} could not be asked: ${err.cause?.message ?? err.message}\n`)
  process.exit(2)
})
if (published === undefined) fail(fault)

process.stdout.write(`agent       ${agentId}
score       ${published.score}
grade       ${published.grade}
published   ${published.published_at}
block       ${published.block_number}
transaction ${published.tx_hash}
publication ${published.publication} of this agent
metadata    ${published.metadata_hash}
`)

if (metadataFile !== undefined) {
  const given = JSON.parse(await readFile(metadataFile, 'utf8'))
  const metadata = given.metadata ?? given
  const wrong = metadataFault(published, metadata)
  if (wrong !== undefined) fail(wrong)
  process.stdout.write(
    `tree        ${metadata.merkle_root}, ${metadata.checkpoint_count} checkpoints\n`,
  )
}
process.stdout.write('verified\n')
