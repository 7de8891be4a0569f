import { once } from 'node:events'
import { type NoteKey, parseVkey, writeVkey } from '@touchstone/protocol/log'
import { usageError } from '../cli-error.ts'
import { command } from '../command.ts'
import type { Io } from '../io.ts'
import { fields } from '../table.ts'

const LISTEN = '127.0.0.1:8791'

export const witness = command({
  path: ['witness'],
  summary: 'cosign the checkpoints of logs (tlog-witness), so that no log can show two histories',
  details: `Needs no service and no database. The key is created on first use; give its vkey, which is printed
at the start, to the logs. Keep --data: a witness that forgets what it cosigned can be misled.`,
  flags: {
    name: { type: 'string', value: 'NAME', summary: 'name of the witness, such as example.com/w1' },
    listen: {
      type: 'string',
      value: 'HOST:PORT',
      summary: `address to listen on; default: ${LISTEN}`,
    },
    data: { type: 'string', value: 'DIR', summary: 'folder for the last checkpoint of each log' },
    key: { type: 'string', value: 'FILE', summary: 'private key (PEM); created on first use' },
    log: {
      type: 'string',
      value: 'VKEY',
      multiple: true,
      summary: 'verifier key of a log to cosign; may be repeated',
    },
  },
  args: {},
  async run({ flags, io }) {
    const { name, data, key: keyFile } = flags
    if (name === undefined || data === undefined || keyFile === undefined) {
      throw usageError('--name, --data and --key are required.')
    }
    const logs = logKeys(flags.log ?? [])
    const { host, port } = addressOf(flags.listen ?? LISTEN)
    const { openWitnessKey } = await import('../log/witness-key.ts')
    const { openWitnessStore } = await import('../log/witness-store.ts')
    const { startWitness } = await import('../log/witness-server.ts')
    const key = await openWitnessKey(name, keyFile)
    const origins = [...new Set(logs.map((log) => log.name))]
    const store = await openWitnessStore({ dir: data, origins, key: key.key })
    try {
      const now = () => Math.floor(Date.now() / 1000)
      const onJudged = (line: string) => io.note(`${new Date().toISOString()} ${line}`)
      const running = await startWitness({ host, port, key, logs, store, now, onJudged })
      announce(io, { url: running.url, vkey: writeVkey(key.key), origins })
      await untilStopped(io)
      await running.close()
    } finally {
      await store.close()
    }
    return 0
  },
})

function logKeys(vkeys: readonly string[]): NoteKey[] {
  if (vkeys.length === 0) throw usageError('At least one --log is required.')
  return vkeys.map((vkey) => {
    const key = parseVkey(vkey)
    if (!key.ok) throw usageError(`--log ${vkey}: ${key.reason}.`)
    if (key.value.type === 'cosignature') throw usageError(`--log ${vkey}: not the key of a log.`)
    return key.value
  })
}

/** The host of an IPv6 address is written in brackets. */
function addressOf(text: string): { host: string; port: number } {
  const [, host = '', digits = ''] = /^(.+):(\d{1,5})$/.exec(text) ?? []
  const port = Number(digits)
  if (host === '' || port > 65_535) throw usageError('--listen must be HOST:PORT.')
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port }
}

function announce(
  io: Io,
  { url, vkey, origins }: { url: string; vkey: string; origins: readonly string[] },
): void {
  io.result({ url, vkey, logs: origins }, () =>
    fields([
      ['listening on', url],
      ['vkey', vkey],
      ['logs', origins.join(', ')],
    ]),
  )
}

async function untilStopped(io: Io): Promise<void> {
  const stop = io.stopSignal()
  if (!stop.aborted) await once(stop, 'abort')
}
