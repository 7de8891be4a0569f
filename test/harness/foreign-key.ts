import type { TestApp } from './app.ts'

/** The API key of another organisation, whose owner has nothing to do with the first one. */
export async function foreignKey(t: TestApp): Promise<string> {
  const stranger = await t.newUser('stranger@example.com')
  const body = { name: 'Elsewhere', slug: 'elsewhere' }
  await t.call('POST', '/v1/orgs', { token: stranger.token, body })
  const made = await t.call('POST', '/v1/api-keys', { token: stranger.token, body: {} })
  return made.body.key
}
