import { reasonOf } from '../reason.ts'

/** The HTTP status that an error of the SDK's transports is about. */
export function statusOf(err: unknown): number | undefined {
  if (!(err instanceof Error)) return undefined
  const code: unknown = Reflect.get(err, 'code')
  if (typeof code === 'number' && code > 0) return code
  const [, status] = /HTTP (\d{3})/.exec(err.message) ?? []
  return status === undefined ? undefined : Number(status)
}

type Address = { url: URL; headers: Readonly<Record<string, string>> }

/**
 * Says what is wrong with the address or the credentials of a server. The message contains neither
 * path and query of the address nor values of headers nor the server's own words, because any of them
 * may be or repeat a secret.
 */
export function upstreamError(err: unknown, { url, headers }: Address): Error {
  const status = statusOf(err)
  const reason = status === undefined ? describe(err) : describeStatus(status)
  const message = `The MCP server at ${url.origin} ${reason}`
  // Without the cause, whose message may contain what this one must not.
  return new Error(withoutSecrets(message, Object.values(headers)))
}

function describeStatus(status: number): string {
  if (status === 401) return 'answered 401: it requires credentials; give them with --header'
  if (status === 403) return 'answered 403: it does not accept these credentials'
  if (status === 404 || status === 405) {
    return `answered ${status}: there is no MCP server at this path of --url`
  }
  if (status >= 300 && status < 400) {
    return `answered ${status}: it redirects to another address; give that one with --url`
  }
  return `answered ${status}`
}

function describe(err: unknown): string {
  if (!(err instanceof Error)) return 'cannot be used'
  if (err.name === 'ZodError' || err instanceof SyntaxError) return 'sent what is not MCP'
  if (err.message.includes('Unexpected content type')) {
    return 'did not answer with MCP; is the path of --url right?'
  }
  const { cause } = err
  const reason = cause instanceof Error ? reasonOf(cause) : reasonOf(err)
  return `cannot be reached: ${reason}`
}

const SECRET_LENGTH_MIN = 4

function withoutSecrets(text: string, secrets: readonly string[]): string {
  // The scheme of a credential, such as Bearer, is no secret.
  const parts = secrets.flatMap((secret) => [secret, ...secret.split(' ')])
  return parts
    .filter((part) => part.length >= SECRET_LENGTH_MIN)
    .reduce((clean, part) => clean.replaceAll(part, '***'), text)
}
