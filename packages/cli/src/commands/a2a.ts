import { writeFile } from 'node:fs/promises'
import { isJsonObject } from '@touchstone/protocol/base'
import { type TrustExtension, withTrust } from '../a2a-card.ts'
import { CliError } from '../cli-error.ts'
import { command } from '../command.ts'
import { readJson } from '../documents.ts'
import { connectPublic } from '../service.ts'

export const a2aCard = command({
  path: ['a2a', 'card'],
  summary: 'add the trust of an agent to its A2A agent card',
  details: `The card gets an entry in capabilities.extensions, or a new one in place of an older one. It is
optional for clients, and says where to check the score; nobody has to believe the card.`,
  flags: {
    output: { type: 'string', value: 'FILE', summary: 'instead of standard output' },
  },
  args: {
    agent: { summary: 'its id' },
    card: { summary: 'the agent card, JSON; - or nothing for standard input', optional: true },
  },
  async run({ args, flags, io }) {
    const file = args.card ?? '-'
    const card = await readJson(file, io)
    if (!isJsonObject(card)) throw new CliError('unreadable', `${file}: not an agent card`)
    const { client } = await connectPublic(io)
    const reputation = await client.request('GET', '/v1/reputation/{agent_id}', {
      params: { agent_id: args.agent },
    })
    const trust: TrustExtension = reputation.a2a_trust_extension
    const text = `${JSON.stringify(withTrust(card, trust), null, 2)}\n`
    if (flags.output === undefined) {
      io.write(text)
      return 0
    }
    await writeFile(flags.output, text)
    io.result({ file: flags.output, grade: trust.grade }, () => `Wrote ${flags.output}.`)
    return 0
  },
})
