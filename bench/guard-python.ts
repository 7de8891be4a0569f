import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Row } from './report.ts'
import { createDataFolder, credentialsIn, startService } from './service.ts'

const PORT = 8942
/** Our own limit for what the guard adds to its own request for a decision. */
const ADDED_MS_MAX = 2

const SCRIPT = fileURLToPath(new URL('../guard-python.py', import.meta.url))
const SDK = fileURLToPath(new URL('../../packages/python/src', import.meta.url))
const AGENT = 'bench-python'

/** Measures what the Python guard adds to a call, besides the bare request for its decision. */
export async function pythonRows(): Promise<Row[]> {
  const data = createDataFolder()
  const service = await startService(data.dir, PORT)
  try {
    const url = `http://127.0.0.1:${PORT}`
    const key = credentialsIn(data.dir).api_key
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ agent_id: AGENT })
    await fetch(`${url}/v1/agents`, { method: 'POST', headers, body })
    const printed = execFileSync('python3', [SCRIPT, url, key, AGENT], {
      env: { PATH: process.env['PATH'], PYTHONPATH: SDK },
      encoding: 'utf8',
    })
    const what = 'latency added to a call by the Python guard, p50'
    return [
      { what, unit: 'ms', ours: Number(printed), peer: ADDED_MS_MAX, peerName: 'our maximum' },
    ]
  } finally {
    await service.stop()
    data.remove()
  }
}
