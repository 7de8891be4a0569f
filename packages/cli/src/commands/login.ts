import { access } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import { isJsonObject } from '@touchstone/protocol/base'
import { createClient } from '@touchstone/sdk'
import { CliError, usageError } from '../cli-error.ts'
import { command } from '../command.ts'
import { type SavedLogin, saveLogin } from '../config-file.ts'
import { readJson } from '../documents.ts'
import type { Io } from '../io.ts'
import { readSecret } from '../secret.ts'
import { organisationOf } from '../service.ts'
import { withSession } from '../session.ts'

/** Where a service leaves what its first start made: in DATA_DIR, or here without. */
const DATA_DIR_DEFAULT = '.touchstone'
const CREDENTIALS = 'credentials.json'
const DEFAULT_URL = 'http://localhost:8787'

export const login = command({
  path: ['login'],
  summary: 'save the address of a service and an API key, for this user alone',
  details: `Beside a service that was started here nothing has to be said:
${join(DATA_DIR_DEFAULT, CREDENTIALS)} has all, or ${CREDENTIALS} in DATA_DIR where that is set.
With --key, or --email and a password, the secret is read from standard input, and without an echo
where that is a terminal. A password is exchanged for a new API key, and not kept.`,
  flags: {
    key: { type: 'boolean', summary: 'read an API key from standard input' },
    email: { type: 'string', value: 'ADDRESS', summary: 'make an API key for this account' },
    credentials: {
      type: 'string',
      value: 'FILE',
      summary: 'what the first start of a service wrote',
    },
    org: { type: 'string', value: 'ID', summary: 'the organisation, where there are several' },
  },
  args: {},
  async run({ flags, io }) {
    const found = await findLogin(flags, io)
    const saved = await checked(found)
    await saveLogin(io.env.configFile, saved)
    const told = { url: saved.url, org_id: saved.orgId ?? null, config_file: io.env.configFile }
    io.result(told, () => `Logged in to ${saved.url}; kept in ${io.env.configFile}.`)
    return 0
  },
})

type Given = { key?: boolean; email?: string; credentials?: string; org?: string }

async function findLogin(given: Given, io: Io): Promise<SavedLogin> {
  const url = (io.url ?? io.env.url ?? DEFAULT_URL).replace(/\/+$/, '')
  const orgId = given.org ?? io.env.orgId
  if (given.key) return { url, apiKey: await readSecret('API key', io), orgId }
  if (given.email !== undefined) return exchangePassword(given.email, { url, orgId }, io)
  const file = given.credentials ?? credentialsPlace(io)
  const isThere = await access(file).then(
    () => true,
    () => false,
  )
  if (!isThere && given.credentials === undefined) {
    throw usageError(
      `There is no ${file}. Name the file with --credentials FILE (it is in the DATA_DIR of the service), or use --key or --email.`,
    )
  }
  return fromCredentials(await readJson(file, io), file, io)
}

function credentialsPlace({ env }: Io): string {
  return resolve(env.cwd, env.dataDir ?? DATA_DIR_DEFAULT, CREDENTIALS)
}

function fromCredentials(document: unknown, file: string, io: Io): SavedLogin {
  const { base_url: url, api_key: apiKey, org_id: orgId } = isJsonObject(document) ? document : {}
  if (typeof url !== 'string' || typeof apiKey !== 'string') {
    throw new CliError('unreadable', `${file}: not the credentials of a first start`)
  }
  // Whoever only set an address somewhere did not ask for this key to be sent there.
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
  const made = await withSession({ url, email }, io, (client) =>
    client.request('POST', '/v1/api-keys', {
      body: { name: `touchstone on ${hostname()}`.slice(0, 100), ...(orgId && { org_id: orgId }) },
    }),
  )
  if (made.key === null) throw new CliError('failed', 'The service made a key and did not tell it.')
  return { url, apiKey: made.key, orgId: made.org_id }
}

/** A key that does not work is not saved. */
async function checked(login: SavedLogin): Promise<SavedLogin> {
  const client = createClient({ baseUrl: login.url, token: login.apiKey })
  await client.request('GET', '/v1/agents', { query: { per_page: 1 } })
  if (login.orgId !== undefined) return login
  const orgId = await organisationOf({ client, ...login }).catch((err: unknown) => {
    // Nothing tells yet which one it is; the commands that need it will ask.
    if (err instanceof CliError) return undefined
    throw err
  })
  return { ...login, orgId }
}
