import { type Client, createClient } from '@touchstone/sdk'
import { CliError } from './cli-error.ts'
import { readLogin } from './config-file.ts'
import type { Io } from './io.ts'

export type Connection = { client: Client; url: string; orgId: string | undefined }

export type Access = {
  url: string
  apiKey: string | undefined
  orgId: string | undefined
  /** Where address and key were found, for people who wonder. */
  from: { url: string; apiKey: string | undefined }
}

/** The address and key that count: flag, then environment, then what login saved. */
export async function findAccess(io: Pick<Io, 'env' | 'url'>): Promise<Access | undefined> {
  const { env } = io
  const saved = await readLogin(env.configFile)
  const url = withoutSlash(io.url ?? env.url ?? saved?.url)
  if (url === undefined) return undefined
  const isSaved = saved !== undefined && withoutSlash(saved.url) === url
  // INVARIANT: a saved key goes to the address it was saved with, and to no other.
  const own = isSaved ? saved : undefined
  const apiKey = env.apiKey ?? own?.apiKey
  const isOwnKey = apiKey !== undefined && apiKey === own?.apiKey
  return {
    url,
    apiKey,
    orgId: env.orgId ?? (isOwnKey ? own?.orgId : undefined),
    from: {
      url: sourceOf(io.url, '--url') ?? sourceOf(env.url, 'TOUCHSTONE_URL') ?? env.configFile,
      apiKey: sourceOf(env.apiKey, 'TOUCHSTONE_API_KEY') ?? sourceOf(apiKey, env.configFile),
    },
  }
}

function sourceOf(value: string | undefined, source: string): string | undefined {
  return value === undefined ? undefined : source
}

/** For calls that need a key. */
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

/** For calls that anybody may make; a key is sent where there is one. */
export async function connectPublic(io: Pick<Io, 'env' | 'url'>): Promise<Connection> {
  return connectionOf(await getAccess(io))
}

export async function getAccess(io: Pick<Io, 'env' | 'url'>): Promise<Access> {
  const access = await findAccess(io)
  if (access !== undefined) return withSendableKey(access)
  throw new CliError(
    'not_logged_in',
    'Which service? Run "touchstone login", or set TOUCHSTONE_URL and TOUCHSTONE_API_KEY.',
  )
}

/** Said here, as what refuses to send such a header says it with the key. */
function withSendableKey(access: Access): Access {
  if (access.apiKey === undefined || /^[!-~]+$/.test(access.apiKey)) return access
  const place = access.from.apiKey ?? 'what was given'
  throw new CliError(
    'invalid_key',
    `The API key of ${place} holds a blank, a line break or another character that no key has.`,
  )
}

function connectionOf({ url, apiKey, orgId }: Access): Connection {
  const client = createClient({ baseUrl: url, ...(apiKey !== undefined && { token: apiKey }) })
  return { client, url, orgId }
}

/** The organisation that the key belongs to; where it was not saved, an agent's record tells. */
export async function organisationOf({ client, orgId }: Connection): Promise<string> {
  if (orgId !== undefined) return orgId
  const { agents } = await client.request('GET', '/v1/agents', { query: { per_page: 1 } })
  const [first] = agents
  if (first !== undefined) return first.org_id
  throw new CliError('no_organisation', 'Which organisation? Set TOUCHSTONE_ORG to its id.')
}

function withoutSlash(url: string | undefined): string | undefined {
  return url?.replace(/\/+$/, '')
}
