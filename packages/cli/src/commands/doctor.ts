import { createClient } from '@touchstone/sdk'
import { command } from '../command.ts'
import { isOpenToOthers, readLogin } from '../config-file.ts'
import { reasonOf } from '../failure.ts'
import type { Io } from '../io.ts'
import { type Access, findAccess } from '../service.ts'
import { printable, table } from '../table.ts'

type Check = { name: string; ok: boolean; told: string }

/** Interface, Delivery and signing: beyond this webhooks and sessions are refused. */
const CLOCK_MS_MAX = 300_000
/** A service that takes longer to say that it is there is of no use. */
const ANSWER_MS_MAX = 10_000
const NODE_MIN = [20, 19] as const

export const doctor = command({
  path: ['doctor'],
  summary: 'check what has to be right here: settings, service, key, clock',
  flags: {},
  args: {},
  async run({ io }) {
    const checks = [checkNode(), await checkConfig(io), ...(await checkService(io))]
    const isWell = checks.every(({ ok }) => ok)
    io.result({ ok: isWell, checks }, () =>
      table(
        ['CHECK', '', ''],
        checks.map(({ name, ok, told }) => [
          name,
          ok ? io.paint.good('ok') : io.paint.bad('FAILED'),
          printable(told),
        ]),
      ),
    )
    return isWell ? 0 : 1
  },
})

function checkNode(): Check {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const ok = major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1])
  return { name: 'node', ok, told: `${process.versions.node}, ${NODE_MIN.join('.')} is needed` }
}

async function checkConfig({ env }: Io): Promise<Check> {
  const name = 'config file'
  try {
    if ((await readLogin(env.configFile)) === undefined) {
      return { name, ok: true, told: 'none; "touchstone login" makes one' }
    }
    const isOpen = await isOpenToOthers(env.configFile)
    const told = isOpen ? `others can read it: chmod 600 ${env.configFile}` : env.configFile
    return { name, ok: !isOpen, told }
  } catch (err) {
    return { name, ok: false, told: reasonOf(err) }
  }
}

async function checkService(io: Io): Promise<Check[]> {
  const access = await findAccess(io).catch(() => undefined)
  if (access === undefined) {
    return [{ name: 'service', ok: false, told: 'no address: run "touchstone login"' }]
  }
  const signal = AbortSignal.timeout(ANSWER_MS_MAX)
  const answer = await fetch(`${access.url}/health/ready`, { signal }).catch(reasonOf)
  if (typeof answer === 'string') {
    return [{ name: 'service', ok: false, told: `${access.url} (${access.from.url}): ${answer}` }]
  }
  await answer.body?.cancel()
  const ready = { name: 'service', ok: answer.ok, told: `${access.url} (${access.from.url})` }
  return [ready, checkClock(answer), await checkKey(access)]
}

function checkClock(answer: Response): Check {
  const there = Date.parse(answer.headers.get('date') ?? '')
  if (Number.isNaN(there)) return { name: 'clock', ok: true, told: 'the service tells no time' }
  const apartMs = Math.abs(Date.now() - there)
  const ok = apartMs <= CLOCK_MS_MAX
  return { name: 'clock', ok, told: ok ? 'as the service has it' : `${apartMs} ms apart` }
}

async function checkKey({ url, apiKey, from }: Access): Promise<Check> {
  const name = 'API key'
  if (apiKey === undefined) return { name, ok: false, told: 'none: run "touchstone login"' }
  const client = createClient({ baseUrl: url, token: apiKey })
  return client.request('GET', '/v1/agents', { query: { per_page: 1 } }).then(
    ({ total }) => ({ name, ok: true, told: `${from.apiKey}, ${total} agents` }),
    (err: unknown) => ({ name, ok: false, told: `${from.apiKey}: ${reasonOf(err)}` }),
  )
}
