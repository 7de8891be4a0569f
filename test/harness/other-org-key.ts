import type { TestApp } from './app.ts'

/** Creates another organisation, owned by somebody else, and returns its API key. */
export async function otherOrgKey(t: TestApp): Promise<string> {
  const stranger = await t.newUser('stranger@example.com')
  const body = { name: 'Elsewhere', slug: 'elsewhere' }
  await t.call('POST', '/v1/orgs', { token: stranger.token, body })
  const created = await t.call('POST', '/v1/api-keys', { token: stranger.token, body: {} })
  return created.body.key
}
