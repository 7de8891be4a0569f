import { createClient } from '@touchstone/sdk'
import { command } from '../command.ts'
import type { Io } from '../io.ts'
import { isAccessibleByOthers, readLogin } from '../login-file.ts'
import { reasonOf, unreachableReason } from '../reason.ts'
import { type Access, findAccess } from '../service.ts'
import { printable, table } from '../table.ts'

type Check = { name: string; ok: boolean; told: string }

/** Larger clock differences make webhooks and sessions fail (spec: interface, Delivery and signing). */
const CLOCK_SKEW_MS_MAX = 300_000
/** Timeout of the readiness check. */
const READY_TIMEOUT_MS = 10_000
const NODE_MIN = [20, 19] as const

export const doctor = command({
  path: ['doctor'],
  summary: 'check the local setup: Node, config file, service, clock and API key',
  flags: {},
  args: {},
  async run({ io }) {
    const checks = [checkNode(), await checkConfig(io), ...(await checkService(io))]
    const isHealthy = checks.every(({ ok }) => ok)
    io.result({ ok: isHealthy, checks }, () =>
      table(
        ['CHECK', '', ''],
        checks.map(({ name, ok, told }) => [
          name,
          ok ? io.paint.good('ok') : io.paint.bad('FAILED'),
          printable(told),
        ]),
      ),
    )
    return isHealthy ? 0 : 1
  },
})

function checkNode(): Check {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const ok = major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1])
  return {
    name: 'node',
    ok,
    told: `${process.versions.node} (${NODE_MIN.join('.')} or newer required)`,
  }
}

async function checkConfig({ env }: Io): Promise<Check> {
  const name = 'config file'
  try {
    if ((await readLogin(env.configFile)) === undefined) {
      return { name, ok: true, told: 'none; "touchstone login" creates it' }
    }
    const isExposed = await isAccessibleByOthers(env.configFile)
    const told = isExposed
      ? `accessible to others; run chmod 600 ${env.configFile}`
      : env.configFile
    return { name, ok: !isExposed, told }
  } catch (err) {
    return { name, ok: false, told: reasonOf(err) }
  }
}

async function checkService(io: Io): Promise<Check[]> {
  const access = await findAccess(io).catch(() => undefined)
  if (access === undefined) {
    return [{ name: 'service', ok: false, told: 'no address; run "touchstone login"' }]
  }
  const signal = AbortSignal.timeout(READY_TIMEOUT_MS)
  const answer = await fetch(`${access.url}/health/ready`, { signal }).catch(unreachableReason)
  if (typeof answer === 'string') {
    return [{ name: 'service', ok: false, told: `${access.url} (${access.from.url}): ${answer}` }]
  }
  await answer.body?.cancel()
  const ready = { name: 'service', ok: answer.ok, told: `${access.url} (${access.from.url})` }
  return [ready, checkClock(answer), await checkKey(access)]
}

function checkClock(answer: Response): Check {
  const serviceMs = Date.parse(answer.headers.get('date') ?? '')
  if (Number.isNaN(serviceMs))
    return { name: 'clock', ok: true, told: 'not checked: the service sent no Date header' }
  const skewMs = Math.abs(Date.now() - serviceMs)
  const ok = skewMs <= CLOCK_SKEW_MS_MAX
  return { name: 'clock', ok, told: ok ? 'matches the service' : `${skewMs} ms off` }
}

async function checkKey({ url, apiKey, from }: Access): Promise<Check> {
  const name = 'API key'
  if (apiKey === undefined) return { name, ok: false, told: 'none; run "touchstone login"' }
  const client = createClient({ baseUrl: url, token: apiKey })
  return client.request('GET', '/v1/agents', { query: { per_page: 1 } }).then(
    ({ total }) => ({ name, ok: true, told: `${from.apiKey}, ${total} agents` }),
    (err: unknown) => ({ name, ok: false, told: `${from.apiKey}: ${reasonOf(err)}` }),
  )
}
