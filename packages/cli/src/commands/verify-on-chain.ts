import { isJsonObject } from '@touchstone/protocol/base'
import { type AskNode, metadataFault, readPublishedScore } from '@touchstone/protocol/chain'
import { CliError } from '../cli-error.ts'
import { command } from '../command.ts'
import { readJson } from '../documents.ts'
import type { Io } from '../io.ts'
import { reasonOf } from '../reason.ts'
import { connectPublic } from '../service.ts'
import { printVerdict } from './verify.ts'

const TIMEOUT_MS = 30_000

export const verifyOnChain = command({
  path: ['verify', 'on-chain'],
  summary: "verify an agent's published score with a node of the chain",
  details:
    'With --registry, no request goes to the service. With --metadata, a response of\nGET /v1/on-chain/verify-proof/AGENT, the published hash is checked against it.',
  flags: {
    rpc: { type: 'string', value: 'URL', summary: 'JSON-RPC address of a node; required' },
    registry: {
      type: 'string',
      value: '0x…',
      summary: 'address of the ReputationRegistry; default: the one the service names',
    },
    metadata: { type: 'string', value: 'FILE', summary: 'the metadata published with the score' },
  },
  args: { agent: { summary: 'the agent id' } },
  async run({ args, flags, io }) {
    if (flags.rpc === undefined)
      throw new CliError('usage', '--rpc is required: the URL of a node.')
    const registry = flags.registry ?? (await registryOf(io))
    const reading = await readPublishedScore(createRpc(flags.rpc), {
      registry,
      agentId: args.agent,
    })
    if (!reading.verified) {
      return printVerdict(io, {
        valid: false,
        checks: [['on_chain', false]],
        fault: reading.fault,
        about: { agent_id: args.agent, registry },
      })
    }
    const { published } = reading
    const given = flags.metadata === undefined ? undefined : await readJson(flags.metadata, io)
    const metadata = isJsonObject(given) ? (given['metadata'] ?? given) : given
    const fault = given === undefined ? undefined : metadataFault(published, metadata)
    return printVerdict(io, {
      valid: fault === undefined,
      checks: [
        ['on_chain', true],
        ...(given === undefined ? [] : ([['metadata', fault === undefined]] as const)),
      ],
      fault,
      about: { ...published, registry },
    })
  },
})

async function registryOf(io: Io): Promise<string> {
  const { client } = await connectPublic(io)
  return (await client.request('GET', '/v1/on-chain/contracts')).reputation_registry
}

/** A failing node proves nothing about the score, so it is an error and not a negative verdict. */
function createRpc(url: string): AskNode {
  return async (method, params) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
      .then((res): Promise<unknown> => res.json())
      .catch((err: unknown) => {
        throw new CliError('node', `${url} cannot be queried: ${reasonOf(err)}`, { cause: err })
      })
    if (isJsonObject(response) && 'result' in response) return response['result']
    throw new CliError('node', `${url} returned no result for ${method}.`)
  }
}
