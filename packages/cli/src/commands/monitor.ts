import { setTimeout } from 'node:timers/promises'
import type { TlogPolicy } from '@touchstone/protocol/log'
import { CliError, usageError } from '../cli-error.ts'
import { command, type ExitCode } from '../command.ts'
import { parsePolicy, readText } from '../documents.ts'
import type { Io } from '../io.ts'
import { jsonText } from '../json-text.ts'
import type { LogCheck } from '../log/check-log.ts'
import { numberFlag } from '../number-flag.ts'
import { printable } from '../table.ts'

const INTERVAL_S = 60

/** The exit code of each outcome of a look at the log; spec: log §4. */
const EXIT_CODES = { consistent: 0, unreachable: 2, fork: 3, older: 4, invalid: 5 } as const

export const monitor = command({
  path: ['monitor'],
  summary: 'follow a public log and prove that it only grows and shows everyone the same',
  details: `Reads each new checkpoint, its new tiles and entries, verifies them and the cosignatures, and keeps the
last verified checkpoint in --state. Exit codes: 0 consistent; 2 wrong usage or unreachable; 3 the log
signed two histories, both checkpoints are printed; 4 the log went back, without proof of a fork; 5 a
signature, a quorum or a tile does not hold. Without --once, it goes on after 2 and 4 and ends on 3 and 5.`,
  flags: {
    policy: {
      type: 'string',
      value: 'FILE',
      summary: 'trust policy (tlog-policy): logs, witnesses',
    },
    state: { type: 'string', value: 'FILE', summary: 'where to keep the last verified checkpoint' },
    once: { type: 'boolean', summary: 'look once and exit' },
    interval: {
      type: 'string',
      value: 'S',
      summary: `seconds between two looks; default: ${INTERVAL_S}`,
    },
  },
  args: { log_url: { summary: 'URL of the log, such as https://trust.example.com/log' } },
  async run({ args, flags, io }) {
    const { policy: policyFile, state } = flags
    if (policyFile === undefined || state === undefined) {
      throw usageError('--policy and --state are required.')
    }
    const interval = numberFlag('interval', flags.interval, { min: 0, max: 86_400 }) ?? INTERVAL_S
    const policy = await readPolicy(policyFile, io)
    const stop = io.stopSignal()
    const look = await createLook({ url: args.log_url, state, policy, stop })
    const found = await look()
    report(found, io)
    if (flags.once === true) return EXIT_CODES[found.kind]
    return follow({ found, look, intervalMs: interval * 1000, stop, io })
  },
})

type Following = {
  found: LogCheck
  look(): Promise<LogCheck>
  intervalMs: number
  stop: AbortSignal
  io: Io
}

/** Ends when stopped or when the log is proven wrong. */
async function follow({ found, look, intervalMs, stop, io }: Following): Promise<ExitCode> {
  let last = found
  while (last.kind !== 'fork' && last.kind !== 'invalid') {
    const next = await sleep(intervalMs, stop).then(look).catch(unlessStopped(stop))
    if (next === undefined) return 0
    last = next
    report(last, io)
  }
  return EXIT_CODES[last.kind]
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return setTimeout(ms, undefined, { signal })
}

/** A look that the stop interrupted is not an error. */
function unlessStopped(stop: AbortSignal) {
  return (err: unknown): undefined => {
    if (!stop.aborted) throw err
  }
}

type LookOptions = { url: string; state: string; policy: TlogPolicy; stop: AbortSignal }

async function createLook({ url, state, policy, stop }: LookOptions) {
  if (!URL.canParse(url)) throw usageError(`${url} is not a URL.`)
  const { createLogClient } = await import('../log/log-client.ts')
  const { checkLog } = await import('../log/check-log.ts')
  const { readSeenLog, saveSeenLog } = await import('../log/monitor-state.ts')
  const client = createLogClient(url, stop)
  let seen = await readSeenLog(state, policy)
  return async (): Promise<LogCheck> => {
    const found = await checkLog({ client, policy, seen, now: new Date() })
    if (found.kind === 'consistent') {
      seen = found.seen
      await saveSeenLog(state, seen)
    }
    return found
  }
}

async function readPolicy(file: string, io: Io): Promise<TlogPolicy> {
  const policy = parsePolicy(await readText(file, io), file)
  if (policy.logs.length === 0) throw new CliError('unreadable', `${file}: names no log`)
  return policy
}

/** One line of JSON for each look, or a text. */
function report(found: LogCheck, io: Io): void {
  io.write(`${io.json ? jsonText(jsonOf(found)) : textOf(found)}\n`)
}

function jsonOf(found: LogCheck): object {
  if (found.kind === 'consistent') {
    const { origin, seenAt, tree } = found.seen
    return { status: found.kind, origin, size: tree.size, seen_at: seenAt }
  }
  const { kind, reason } = found
  return kind === 'fork'
    ? { status: kind, reason, checkpoints: found.checkpoints }
    : { status: kind, reason }
}

function textOf(found: LogCheck): string {
  if (found.kind === 'consistent') {
    const { origin, seenAt, tree } = found.seen
    return `${seenAt} consistent: ${printable(origin)}, size ${tree.size}`
  }
  const line = `${found.kind}: ${printable(found.reason)}`
  if (found.kind !== 'fork') return line
  const checkpoints = found.checkpoints.map((text) => text.split('\n').map(printable).join('\n'))
  return [line, 'The log signed both of these:', ...checkpoints].join('\n\n').trimEnd()
}
