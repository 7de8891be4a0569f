import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { listen } from './listen.ts'

export const S3_KEY = { accessKeyId: 'AKIATEST', secretAccessKey: 'test/secret+key' }
export const S3_REGION = 'eu-central-1'

export type S3Server = {
  endpoint: string
  objects: Map<string, Buffer>
  /** How many objects were put on the condition that there is none. */
  conditional(): number
  /** The status that the next requests are refused with. */
  fail(statuses: readonly number[]): void
}

/**
 * A store that speaks the part of the S3 protocol that the log needs, and verifies the signature of
 * each request (AWS Signature Version 4) by its specification.
 */
export async function startS3Server(): Promise<S3Server> {
  const objects = new Map<string, Buffer>()
  let conditional = 0
  let failures: number[] = []

  const answer = async (req: IncomingMessage): Promise<Reply> => {
    const body = await buffer(req)
    const refused = refusalOf(req, body)
    if (refused !== undefined) return [403, `<Code>${refused}</Code>`]
    const failure = failures.shift()
    if (failure !== undefined) return [failure, '<Code>SlowDown</Code>']
    const url = new URL(req.url ?? '', 'http://s3')
    const key = decodeURIComponent(url.pathname).split('/').slice(2).join('/')
    if (req.headers['if-none-match'] === '*') conditional += 1
    switch (req.method) {
      case 'PUT':
        return put(objects, key, body)
      case 'DELETE':
        objects.delete(key)
        return [204, '']
      default:
        return read(objects, key, url.searchParams)
    }
  }

  const server = createServer((req, res) => {
    answer(req).then(
      ([status, body]) => res.writeHead(status).end(body),
      (err) => res.destroy(err),
    )
  })
  const port = await listen(server)
  return {
    endpoint: `http://127.0.0.1:${port}`,
    objects,
    conditional: () => conditional,
    fail: (statuses) => {
      failures = [...statuses]
    },
  }
}

type Reply = [status: number, body: string | Buffer]

function put(objects: Map<string, Buffer>, key: string, body: Buffer): Reply {
  if (objects.has(key)) return [412, '<Code>PreconditionFailed</Code>']
  objects.set(key, body)
  return [200, '']
}

function read(objects: Map<string, Buffer>, key: string, query: URLSearchParams): Reply {
  if (query.get('list-type') === '2') {
    const keys = [...objects.keys()].filter((one) => one.startsWith(query.get('prefix') ?? ''))
    return [200, keys.map((one) => `<Contents><Key>${one}</Key></Contents>`).join('')]
  }
  const found = objects.get(key)
  return found === undefined ? [404, '<Code>NoSuchKey</Code>'] : [200, found]
}

const SIGNATURE =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/

/** Why the request is refused; undefined if its signature is that of the key. */
function refusalOf(req: IncomingMessage, body: Buffer): string | undefined {
  const [, keyId, day = '', region = '', signedHeaders = '', signature] =
    SIGNATURE.exec(req.headers.authorization ?? '') ?? []
  if (keyId !== S3_KEY.accessKeyId || region !== S3_REGION) return 'InvalidAccessKeyId'
  const time = String(req.headers['x-amz-date'])
  const age = Date.now() - Date.parse(time.replace(/^(....)(..)(..T..)(..)/, '$1-$2-$3:$4:'))
  if (!time.startsWith(day) || Math.abs(age) > 15 * 60_000) return 'RequestTimeTooSkewed'
  const contentHash = String(req.headers['x-amz-content-sha256'])
  const isHashed = contentHash === sha256(body)
  if (!isHashed && contentHash !== 'UNSIGNED-PAYLOAD') return 'XAmzContentSHA256Mismatch'
  const names = signedHeaders.split(';')
  if (!names.includes('host') || !names.includes('x-amz-date')) return 'AccessDenied'
  const url = new URL(req.url ?? '', 'http://s3')
  const canonical = [
    req.method,
    url.pathname
      .split('/')
      .map((part) => encode(decodeURIComponent(part)))
      .join('/'),
    [...url.searchParams]
      .map(([name, value]) => `${encode(name)}=${encode(value)}`)
      .sort()
      .join('&'),
    ...names.map((name) => `${name}:${String(req.headers[name]).trim()}`),
    '',
    signedHeaders,
    contentHash,
  ].join('\n')
  const scope = `${day}/${region}/s3/aws4_request`
  const toSign = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n')
  const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(
    (before, part) => hmac(before, part),
    `AWS4${S3_KEY.secretAccessKey}`,
  )
  return hmac(key, toSign).toString('hex') === signature ? undefined : 'SignatureDoesNotMatch'
}

function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex')
}

function hmac(key: string | Buffer, data: string): Buffer {
  return createHmac('sha256', key).update(data).digest()
}
