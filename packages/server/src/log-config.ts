import { isAbsolute } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isKeyName, type NoteKey, parseVkey } from '@touchstone/protocol/log'
import { ConfigError, type Reader } from './config-reader.ts'
import { checkUrl } from './egress/egress-rules.ts'

/** A witness that is asked to cosign the checkpoints of the log. */
export type WitnessSettings = { name: string; key: NoteKey; url: string }

/** A bucket of Amazon S3 or of a store that speaks its protocol. */
export type S3Settings = {
  /** Without a slash at the end. */
  endpoint: string
  region: string
  bucket: string
  /** Before each path: empty, or with a slash at the end. */
  prefix: string
  accessKeyId: string
  secretAccessKey: string
}

export type LogStoreSettings =
  | { kind: 'database' }
  | { kind: 'file'; folder: string }
  | ({ kind: 's3' } & S3Settings)

export type LogSettings = {
  /** Undefined: the host of BASE_URL and /log. */
  origin: string | undefined
  store: LogStoreSettings
  witnesses: readonly WitnessSettings[]
  witnessQuorum: number
}

const S3_URL = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([A-Za-z0-9._/-]*))?$/
const WITNESS_NAME = /^[A-Za-z0-9._-]{1,64}$/
/** A verifier has to read at least this many (c2sp.org/tlog-policy). */
const WITNESSES_MAX = 32

export function readLog(read: Reader): LogSettings {
  const origin = read.text('LOG_ORIGIN')
  if (origin !== undefined && !isKeyName(origin)) {
    throw new ConfigError('LOG_ORIGIN must have no spaces and no plus, such as example.com/log.')
  }
  const witnesses = readWitnesses(read)
  const witnessQuorum = read.integer('WITNESS_QUORUM', 0, { min: 0, max: WITNESSES_MAX })
  if (witnessQuorum > witnesses.length) {
    throw new ConfigError(
      `WITNESS_QUORUM is ${witnessQuorum}, and WITNESSES has ${witnesses.length}: no checkpoint would ever be published.`,
    )
  }
  return { origin, store: readStore(read), witnesses, witnessQuorum }
}

function readStore(read: Reader): LogStoreSettings {
  const value = read.text('LOG_STORE')
  if (value === undefined || value === 'database') return { kind: 'database' }
  if (value.startsWith('file:///') && URL.canParse(value)) {
    const folder = fileURLToPath(value)
    if (isAbsolute(folder)) return { kind: 'file', folder }
  }
  const [, bucket, prefix] = S3_URL.exec(value) ?? []
  if (bucket === undefined) {
    throw new ConfigError('LOG_STORE must be database, file:///folder or s3://bucket/prefix.')
  }
  const region = read.printable('LOG_S3_REGION') ?? 'us-east-1'
  const endpoint = read.url('LOG_S3_ENDPOINT', ['https:', 'http:'])
  const accessKeyId = read.printable('LOG_S3_ACCESS_KEY_ID')
  const secretAccessKey = read.printable('LOG_S3_SECRET_ACCESS_KEY')
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new ConfigError(
      'LOG_STORE=s3://… needs LOG_S3_ACCESS_KEY_ID and LOG_S3_SECRET_ACCESS_KEY.',
    )
  }
  return {
    kind: 's3',
    endpoint: (endpoint ?? `https://s3.${region}.amazonaws.com`).replace(/\/$/, ''),
    region,
    bucket,
    prefix: prefix === undefined || prefix === '' ? '' : `${prefix.replace(/\/$/, '')}/`,
    accessKeyId,
    secretAccessKey,
  }
}

const WITNESSES_FORM =
  'WITNESSES must be a JSON list like [{"name":"…","vkey":"…","url":"https://…"}].'

function readWitnesses(read: Reader): WitnessSettings[] {
  const list = read.jsonList('WITNESSES', WITNESSES_FORM)
  if (list.length > WITNESSES_MAX) {
    throw new ConfigError(`WITNESSES must have at most ${WITNESSES_MAX} witnesses.`)
  }
  const allowCidrs = read.cidrs('EGRESS_ALLOW_CIDRS')
  const witnesses = list.map((item) => readWitness(item, allowCidrs))
  for (const [i, { name, key }] of witnesses.entries()) {
    const isRepeated = witnesses
      .slice(0, i)
      .some(
        (other) => other.name === name || Buffer.compare(other.key.publicKey, key.publicKey) === 0,
      )
    if (isRepeated) throw new ConfigError(`WITNESSES: ${name} or its key is listed twice.`)
  }
  return witnesses
}

function readWitness(
  { name, vkey, url }: Record<string, unknown>,
  allowCidrs: readonly string[],
): WitnessSettings {
  if (typeof name !== 'string' || typeof vkey !== 'string' || typeof url !== 'string') {
    throw new ConfigError(WITNESSES_FORM)
  }
  if (!WITNESS_NAME.test(name) || name === 'none') {
    throw new ConfigError('WITNESSES: a name has letters, digits, dots, hyphens and underscores.')
  }
  const key = parseVkey(vkey)
  if (!key.ok) throw new ConfigError(`WITNESSES: the vkey of ${name}: ${key.reason}.`)
  if (key.value.type !== 'cosignature') {
    throw new ConfigError(`WITNESSES: the vkey of ${name} is not that of a witness.`)
  }
  const check = checkUrl(url, { allowLoopback: true, allowCidrs })
  if (!check.ok) throw new ConfigError(`WITNESSES: the url of ${name} ${check.reason}.`)
  return { name, key: key.value, url }
}
