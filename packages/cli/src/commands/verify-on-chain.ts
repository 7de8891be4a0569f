import { isJsonObject } from '@touchstone/protocol/base'
import { type AskNode, metadataFault, readPublishedScore } from '@touchstone/protocol/chain'
import { CliError } from '../cli-error.ts'
import { command } from '../command.ts'
import { readJson } from '../documents.ts'
import { reasonOf } from '../failure.ts'
import type { Io } from '../io.ts'
import { connectPublic } from '../service.ts'
import { answer } from './verify.ts'

const TIMEOUT_MS = 30_000

export const verifyOnChain = command({
  path: ['verify', 'on-chain'],
  summary: 'check the published score of an agent with a node of the chain',
  details:
    'With --registry the service is not asked. With --metadata, as GET /v1/on-chain/verify-proof/AGENT\nshows it, it is checked that this is what was hashed.',
  flags: {
    rpc: { type: 'string', value: 'URL', summary: 'of a node; required' },
    registry: {
      type: 'string',
      value: '0x…',
      summary: 'the ReputationRegistry; without, the service says which',
    },
    metadata: { type: 'string', value: 'FILE', summary: 'what was published with the score' },
  },
  args: { agent: { summary: 'its id' } },
  async run({ args, flags, io }) {
    if (flags.rpc === undefined) throw new CliError('usage', '--rpc is needed: the URL of a node.')
    const registry = flags.registry ?? (await registryOf(io))
    const reading = await readPublishedScore(asking(flags.rpc), {
      registry,
      agentId: args.agent,
    })
    if (!reading.verified) {
      return answer(io, {
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
    return answer(io, {
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

/** A node that cannot be asked is no proof of anything, so it is no verdict either. */
function asking(url: string): AskNode {
  return async (method, params) => {
    const answered = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
      .then((response) => response.json() as Promise<unknown>)
      .catch((err: unknown) => {
        throw new CliError('node', `${url} cannot be asked: ${reasonOf(err)}`, { cause: err })
      })
    if (isJsonObject(answered) && 'result' in answered) return answered['result']
    throw new CliError('node', `${url} does not answer ${method}.`)
  }
}
