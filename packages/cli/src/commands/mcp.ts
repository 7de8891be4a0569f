import { usageError } from '../cli-error.ts'
import { command } from '../command.ts'
import { numberFlag } from '../number-flag.ts'
import { connectPublic } from '../service.ts'

const PORT = 8790

export const mcp = command({
  path: ['mcp'],
  summary:
    'an MCP server with tools to look up, verify and compare reputations, and to ask about rules and risk',
  details: `Speaks over standard input and output. With --http it listens on 127.0.0.1 instead, at /mcp: every
program on this machine can then ask with your key.`,
  flags: { http: { type: 'boolean', summary: `listen on a port, ${PORT} without` } },
  args: { port: { summary: 'to listen on, with --http', optional: true } },
  async run({ args, flags, io }) {
    if (args.port !== undefined && !flags.http) throw usageError('A port needs --http.')
    const port = numberFlag('http', args.port, { min: 0, max: 65_535 }) ?? PORT
    const { client } = await connectPublic(io)
    const { runHttp, runStdio } = await import('../mcp/run-mcp.ts')
    const options = { client, version: io.env.version, io }
    await (flags.http ? runHttp(options, port) : runStdio(options))
    return 0
  },
})
