import { command } from '../command.ts'
import { connectPublic } from '../service.ts'

export const keys = command({
  path: ['keys'],
  summary: "print the service's public keys, to save for offline verification",
  flags: {},
  args: {},
  async run({ io }) {
    const { client } = await connectPublic(io)
    const answer = await client.request('GET', '/v1/keys')
    io.write(`${JSON.stringify(answer, null, 2)}\n`)
    return 0
  },
})
