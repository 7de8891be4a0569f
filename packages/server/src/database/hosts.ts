/** A server of a connection string. The name, such as `db1:5432`, is for messages. */
export type Host = { name: string; host: string; port: number; url: string }

export type Hosts = {
  hosts: readonly [Host, ...Host[]]
  /** `target_session_attrs=read-write` also refuses a primary that is set to read-only. */
  needsReadWrite: boolean
}

const HOSTS_MAX = 16
const DEFAULT_PORT = 5432
const PARTS = /^(postgres(?:ql)?:\/\/)((?:[^/?#]*@)?)([^/?#]*)(.*)$/s
const HOST = /^(?:\[([^\]]+)\]|([^:[\]\s]+))(?::(\d{1,5}))?$/

/**
 * Splits a connection string with several hosts, such as `postgres://user@db1,db2:5433/name`, into one
 * per host, because node-postgres connects to one host only. Throws an error that says what the
 * connection string must look like, without its password.
 */
export function parseHosts(connectionString: string): Hosts {
  const [, scheme, login = '', list, rest = ''] = PARTS.exec(connectionString) ?? []
  if (scheme === undefined || list === undefined) throw new Error(FORM)
  const names = list.split(',')
  if (names.length > HOSTS_MAX) throw new Error(`must have at most ${HOSTS_MAX} hosts.`)
  const urls = names.map((name) => toUrl(`${scheme}${login}${name}${rest}`))
  const attributes = urls[0]?.searchParams.get('target_session_attrs')
  if (attributes != null && attributes !== 'read-write' && attributes !== 'primary') {
    throw new Error('must have target_session_attrs=read-write or primary, if any.')
  }
  const [first, ...others] = urls.map((url, at) => toHost(url, names[at] ?? '', names.length > 1))
  if (first === undefined) throw new Error(FORM)
  return { hosts: [first, ...others], needsReadWrite: attributes === 'read-write' }
}

const FORM = 'must be a URL starting with postgres:// or postgresql://.'

function toUrl(text: string): URL {
  if (!URL.canParse(text)) throw new Error(FORM)
  return new URL(text)
}

function toHost(url: URL, given: string, isOneOfSeveral: boolean): Host {
  url.searchParams.delete('target_session_attrs')
  // A folder of socket files is given as ?host=/run/postgresql.
  const folder = url.searchParams.get('host')
  if (folder !== null && !isOneOfSeveral) {
    const port = Number(url.searchParams.get('port') ?? (url.port || DEFAULT_PORT))
    return { name: folder, host: folder, port, url: url.href }
  }
  const [, address, name = 'localhost', digits = String(DEFAULT_PORT)] = HOST.exec(given) ?? []
  if ((given === '' && isOneOfSeveral) || (given !== '' && !HOST.test(given))) {
    throw new Error(`must list hosts like db1:5432,db2:5432; "${given}" is not a host.`)
  }
  const host = address ?? decodeURIComponent(name)
  return {
    name: `${given.startsWith('[') ? `[${host}]` : host}:${digits}`,
    host,
    port: Number(digits),
    url: url.href,
  }
}

/** Sets parameters of every host, such as `application_name`. */
export function withParameters(
  { hosts: [first, ...others], needsReadWrite }: Hosts,
  parameters: Readonly<Record<string, string>>,
): Hosts {
  const set = (host: Host): Host => {
    const url = new URL(host.url)
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
    return { ...host, url: url.href }
  }
  return { hosts: [set(first), ...others.map(set)], needsReadWrite }
}
