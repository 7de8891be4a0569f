import type { Client } from '@modelcontextprotocol/sdk/client/index.js'

export const ROUNDS = 9
export const CALLS = 150
/** Our own limit for the latency that the guard adds to a call on loopback. */
export const ADDED_MS_MAX = 3

/** Returns a function that waits until the service has a record of every guarded call so far. */
export function createRecordWaiter(
  env: { TOUCHSTONE_URL: string; TOUCHSTONE_API_KEY: string },
  agent: string,
) {
  const headers = { authorization: `Bearer ${env.TOUCHSTONE_API_KEY}` }
  let calls = 0
  return async (taken: number[]): Promise<number[]> => {
    calls += taken.length
    for (;;) {
      const url = `${env.TOUCHSTONE_URL}/v1/agents/${agent}/traces?per_page=1`
      const page = (await (await fetch(url, { headers })).json()) as { total?: number }
      if ((page.total ?? 0) >= calls) return taken
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}

/** Makes the calls one after the other and returns the milliseconds each took. */
export async function latencies(
  client: Client,
  call: { name: string; arguments: Record<string, string> },
  amount: number,
): Promise<number[]> {
  const taken: number[] = []
  for (let n = 0; n < amount; n += 1) {
    const startedAt = performance.now()
    const result = await client.callTool(call)
    taken.push(performance.now() - startedAt)
    if (result.isError) throw new Error(`the call failed: ${JSON.stringify(result.content)}`)
  }
  return taken
}
