import { type Client, createClient } from '@touchstone/sdk'
import { CliError } from './cli-error.ts'
import type { Io } from './io.ts'
import { readLogin } from './login-file.ts'

export type Connection = { client: Client; url: string; orgId: string | undefined }

export type Access = {
  url: string
  apiKey: string | undefined
  orgId: string | undefined
  /** Sources of address and key, for messages. */
  from: { url: string; apiKey: string | undefined }
}

/** Resolves address and key from flags, then the environment, then the saved login. */
export async function findAccess(io: Pick<Io, 'env' | 'url'>): Promise<Access | undefined> {
  const { env } = io
  const saved = await readLogin(env.configFile)
  const url = withoutTrailingSlash(io.url ?? env.url ?? saved?.url)
  if (url === undefined) return undefined
  const isSaved = saved !== undefined && withoutTrailingSlash(saved.url) === url
  // INVARIANT: a saved key is only sent to the address it was saved with.
  const login = isSaved ? saved : undefined
  const apiKey = env.apiKey ?? login?.apiKey
  const isSavedKey = apiKey !== undefined && apiKey === login?.apiKey
  return {
    url,
    apiKey,
    orgId: env.orgId ?? (isSavedKey ? login?.orgId : undefined),
    from: {
      url: sourceOf(io.url, '--url') ?? sourceOf(env.url, 'TOUCHSTONE_URL') ?? env.configFile,
      apiKey: sourceOf(env.apiKey, 'TOUCHSTONE_API_KEY') ?? sourceOf(apiKey, env.configFile),
    },
  }
}

function sourceOf(value: string | undefined, source: string): string | undefined {
  return value === undefined ? undefined : source
}

/** For commands that need an API key. */
export async function connect(io: Pick<Io, 'env' | 'url'>): Promise<Connection> {
  const access = await getAccess(io)
  if (access.apiKey === undefined) {
    throw new CliError(
      'not_logged_in',
      `There is no API key for ${access.url}. Run "touchstone login", or set TOUCHSTONE_API_KEY.`,
    )
  }
  return connectionOf(access)
}

/** For public endpoints; sends the key if there is one. */
export async function connectPublic(io: Pick<Io, 'env' | 'url'>): Promise<Connection> {
  return connectionOf(await getAccess(io))
}

export async function getAccess(io: Pick<Io, 'env' | 'url'>): Promise<Access> {
  const access = await findAccess(io)
  if (access !== undefined) return withValidKey(access)
  throw new CliError(
    'not_logged_in',
    'No service is configured. Run "touchstone login", or set TOUCHSTONE_URL and TOUCHSTONE_API_KEY.',
  )
}

/** Checked here, because the error of fetch for an invalid header contains the key. */
function withValidKey(access: Access): Access {
  if (access.apiKey === undefined || /^[!-~]+$/.test(access.apiKey)) return access
  const source = access.from.apiKey ?? 'the arguments'
  throw new CliError(
    'invalid_key',
    `The API key from ${source} contains a space, a line break or another invalid character.`,
  )
}

function connectionOf({ url, apiKey, orgId }: Access): Connection {
  const client = createClient({ baseUrl: url, ...(apiKey !== undefined && { token: apiKey }) })
  return { client, url, orgId }
}

/** The organisation of the key; if it was not saved, it is read from one of its agents. */
export async function organisationOf({ client, orgId }: Connection): Promise<string> {
  if (orgId !== undefined) return orgId
  const { agents } = await client.request('GET', '/v1/agents', { query: { per_page: 1 } })
  const [first] = agents
  if (first !== undefined) return first.org_id
  throw new CliError(
    'no_organisation',
    'The organisation is unknown. Set TOUCHSTONE_ORG to its id.',
  )
}

function withoutTrailingSlash(url: string | undefined): string | undefined {
  return url?.replace(/\/+$/, '')
}
