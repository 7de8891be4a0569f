import { access } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import { isJsonObject } from '@touchstone/protocol/base'
import { ApiError, createClient } from '@touchstone/sdk'
import { CliError, usageError } from '../cli-error.ts'
import { command } from '../command.ts'
import { readJson } from '../documents.ts'
import type { Io } from '../io.ts'
import { type SavedLogin, saveLogin } from '../login-file.ts'
import { readSecret } from '../read-secret.ts'
import { organisationOf } from '../service.ts'
import { withSession } from '../session.ts'

/** The service writes its credentials file to DATA_DIR on its first start; this is the default. */
const DATA_DIR_DEFAULT = '.touchstone'
const CREDENTIALS = 'credentials.json'
const DEFAULT_URL = 'http://localhost:8787'

export const login = command({
  path: ['login'],
  summary: 'save the address of a service and an API key for the current user',
  details: `Needs no flags in the folder where the service was started: it reads
${join(DATA_DIR_DEFAULT, CREDENTIALS)}, or ${CREDENTIALS} in DATA_DIR or in the folder of --data.
With --key or --email the API key or the password is read from standard input, without echo on a
terminal. A password is exchanged for a new API key and not saved.`,
  flags: {
    key: { type: 'boolean', summary: 'read an API key from standard input' },
    email: { type: 'string', value: 'ADDRESS', summary: 'create an API key for this account' },
    data: {
      type: 'string',
      value: 'DIR',
      summary: 'data folder of a service on this machine, as in touchstone serve --data',
    },
    credentials: {
      type: 'string',
      value: 'FILE',
      summary: 'credentials file that a service wrote on its first start',
    },
    org: { type: 'string', value: 'ID', summary: 'the organisation, if the account has several' },
  },
  args: {},
  async run({ flags, io }) {
    const found = await findLogin(flags, io)
    const saved = await checkLogin(found)
    await saveLogin(io.env.configFile, saved)
    const summary = { url: saved.url, org_id: saved.orgId ?? null, config_file: io.env.configFile }
    io.result(summary, () => `Logged in to ${saved.url}. Saved in ${io.env.configFile}.`)
    return 0
  },
})

type LoginFlags = {
  key?: boolean
  email?: string
  data?: string
  credentials?: string
  org?: string
}

async function findLogin(flags: LoginFlags, io: Io): Promise<SavedLogin> {
  const url = (io.url ?? io.env.url ?? DEFAULT_URL).replace(/\/+$/, '')
  const orgId = flags.org ?? io.env.orgId
  if (flags.key) return { url, apiKey: await readSecret('API key', io), orgId }
  if (flags.email !== undefined) return exchangePassword(flags.email, { url, orgId }, io)
  const file = flags.credentials ?? credentialsIn(flags.data, io)
  const exists = await access(file).then(
    () => true,
    () => false,
  )
  if (!exists && flags.credentials === undefined) {
    throw usageError(
      `There is no ${file}. Pass the data folder of the service with --data DIR, or use --key or --email.`,
    )
  }
  return fromCredentials(await readJson(file, io), file, io)
}

function credentialsIn(dataDir: string | undefined, { env }: Io): string {
  return resolve(env.cwd, dataDir ?? env.dataDir ?? DATA_DIR_DEFAULT, CREDENTIALS)
}

function fromCredentials(document: unknown, file: string, io: Io): SavedLogin {
  const { base_url: url, api_key: apiKey, org_id: orgId } = isJsonObject(document) ? document : {}
  if (typeof url !== 'string' || typeof apiKey !== 'string') {
    throw new CliError(
      'unreadable',
      `${file}: not a credentials file: base_url and api_key are required`,
    )
  }
  // Ignores TOUCHSTONE_URL: only an explicit --url may send this key to a different address.
  return {
    url: (io.url ?? url).replace(/\/+$/, ''),
    apiKey,
    orgId: typeof orgId === 'string' ? orgId : undefined,
  }
}

async function exchangePassword(
  email: string,
  { url, orgId }: { url: string; orgId: string | undefined },
  io: Io,
): Promise<SavedLogin> {
  const created = await withSession({ url, email }, io, (client) =>
    client.request('POST', '/v1/api-keys', {
      body: { name: `touchstone on ${hostname()}`.slice(0, 100), ...(orgId && { org_id: orgId }) },
    }),
  )
  if (created.key === null)
    throw new CliError('failed', 'The service created a key but did not return it.')
  return { url, apiKey: created.key, orgId: created.org_id }
}

/** Makes a request with the key, so that a key that does not work is not saved. */
async function checkLogin(login: SavedLogin): Promise<SavedLogin> {
  const client = createClient({ baseUrl: login.url, token: login.apiKey })
  await client.request('GET', '/v1/agents', { query: { per_page: 1 } }).catch((err: unknown) => {
    // A key bound to an agent works, but cannot list agents.
    if (!(err instanceof ApiError) || err.status !== 403) throw err
  })
  if (login.orgId !== undefined) return login
  const orgId = await organisationOf({ client, ...login }).catch((err: unknown) => {
    // Unknown if the key sees no agents; commands that need the organisation then say so.
    if (err instanceof CliError) return undefined
    throw err
  })
  return { ...login, orgId }
}
