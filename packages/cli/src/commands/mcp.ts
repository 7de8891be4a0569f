import { usageError } from '../cli-error.ts'
import { command } from '../command.ts'
import { numberFlag } from '../number-flag.ts'
import { connectPublic } from '../service.ts'

const PORT = 8790

export const mcp = command({
  path: ['mcp'],
  summary:
    'run an MCP server with tools to look up, verify and compare reputations, assess policies and risk, and read decisions',
  details: `Uses standard input and output. With --http it listens on 127.0.0.1 at /mcp instead, and every
program on this machine can then use your API key through it.`,
  flags: { http: { type: 'boolean', summary: `serve HTTP on PORT; default: ${PORT}` } },
  args: { port: { summary: 'the port to listen on, with --http', optional: true } },
  async run({ args, flags, io }) {
    if (args.port !== undefined && !flags.http)
      throw usageError('A port is only allowed with --http.')
    const port = numberFlag('http', args.port, { min: 0, max: 65_535 }) ?? PORT
    const { client } = await connectPublic(io)
    const { runHttp, runStdio } = await import('../mcp/run-mcp.ts')
    const options = { client, version: io.env.version, io }
    await (flags.http ? runHttp(options, port) : runStdio(options))
    return 0
  },
})
