import { writeFile } from 'node:fs/promises'
import { isJsonObject } from '@touchstone/protocol/base'
import { type TrustExtension, withTrust } from '../a2a-card.ts'
import { CliError } from '../cli-error.ts'
import { command } from '../command.ts'
import { readJson } from '../documents.ts'
import { connectPublic } from '../service.ts'

export const a2aCard = command({
  path: ['a2a', 'card'],
  summary: "add an agent's trust extension to its A2A agent card",
  details: `Adds an entry to capabilities.extensions, or replaces an older one. The extension is optional for
clients and says where to check the score, so that nobody has to trust the card itself.

Signatures of a card that changes are removed, because they no longer match it: sign the card again.`,
  flags: {
    output: { type: 'string', value: 'FILE', summary: 'write to FILE instead of standard output' },
  },
  args: {
    agent: { summary: 'the agent id' },
    card: { summary: 'the agent card, JSON; default: standard input', optional: true },
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
    const { card: trusted, signaturesRemoved: removed } = withTrust(card, trust)
    if (removed > 0) {
      io.note(
        `Removed ${removed} ${removed === 1 ? 'signature' : 'signatures'}, because the card has changed. Sign it again before you publish it.`,
      )
    }
    const text = `${JSON.stringify(trusted, null, 2)}\n`
    if (flags.output === undefined) {
      io.write(text)
      return 0
    }
    await writeFile(flags.output, text)
    const result = { file: flags.output, grade: trust.grade, signatures_removed: removed }
    io.result(result, () => `Wrote ${flags.output}.`)
    return 0
  },
})
