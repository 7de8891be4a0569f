import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onFileFinished } from './on-file-finished.ts'

/**
 * The fault of a proxy between the service and a chain.
 * swallow: accepts raw transactions and drops them.
 * cut: forwards them and closes the connection before the response.
 * blind: returns no receipt.
 */
export type RpcFault = 'none' | 'swallow' | 'cut' | 'blind'

type Asked = { id: number; method: string; params: unknown[] }

type Answer = { status?: number } & (
  | { result: unknown }
  | { error: { code: number; message: string } }
)

/** Runs before everything else; its result, if any, is the response. */
type Hook = (asked: Asked) => Promise<Answer | undefined>

export type RpcProxy = Awaited<ReturnType<typeof rpcProxy>>

export async function rpcProxy(target: string) {
  const state = {
    target,
    fault: 'none' as RpcFault,
    raws: [] as string[],
    hook: undefined as Hook | undefined,
  }
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    const asked: Asked = JSON.parse(body)
    const isSend = asked.method === 'eth_sendRawTransaction'
    if (isSend) state.raws.push(String(asked.params[0]))
    const instead = (await state.hook?.(asked)) ?? faultyAnswer(state.fault, asked.method)
    if (instead !== undefined) {
      const { status = 200, ...outcome } = instead
      res.statusCode = status
      return void res.end(JSON.stringify({ jsonrpc: '2.0', id: asked.id, ...outcome }))
    }
    try {
      const answer = await fetch(state.target, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
      const text = await answer.text()
      if (isSend && state.fault === 'cut') return void req.socket.destroy()
      res.end(text)
    } catch {
      req.socket.destroy()
    }
  })
  const listen = (port: number) =>
    new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  await listen(0)
  const { port } = server.address() as AddressInfo
  const down = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  onFileFinished(async () => (server.listening ? void (await down()) : undefined))
  return { url: `http://127.0.0.1:${port}`, state, down, up: () => listen(port) }
}

function faultyAnswer(fault: RpcFault, method: string): Answer | undefined {
  if (method === 'eth_sendRawTransaction' && fault === 'swallow') {
    return { result: `0x${'0'.repeat(64)}` }
  }
  return method === 'eth_getTransactionReceipt' && fault === 'blind' ? { result: null } : undefined
}
