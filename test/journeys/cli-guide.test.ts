import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Page, readersDesk, readPage } from '#harness/reader.ts'

describe('the commands of the guide', () => {
  it('do what the pages on the command line and on MCP say', async () => {
    const desk = await readersDesk({ ALLOW_LOOPBACK_EGRESS: 'true' })
    const decided: Page = { page: 'README.md', blocks: [2, 6], before: { 2: 'npm start' } }
    const asked = (name: string) => `<<< "$(jq -r .${name} .touchstone/credentials.json)"`
    const cli: Page = {
      page: 'docs/guide/cli.md',
      after: decided,
      words: {
        'https://trust.example.com': desk.url,
        '--key\n': `--key ${asked('api_key')}\n`,
        'you@example.com': `owner@localhost ${asked('password')}`,
        'npx touchstone webhooks listen': 'running touchstone webhooks listen',
      },
    }
    const told = await readPage({ page: 'docs/guide/mcp.md', after: cli }, desk)
    expect(told).toContain('60\n')
    expect(told).toMatch(/^passed {2}the minimum is met$/m)
    expect(told).toMatch(/^8 passed, 0 failed$/m)
    expect(told).toMatch(/^valid +yes$/m)
    expect(told).toMatch(/^was +FORBIDDEN_ACTION$/m)
    const card = JSON.parse(await readFile(join(desk.dir, 'agent-card-with-trust.json'), 'utf8'))
    expect(card.capabilities.extensions[0].params).toMatchObject({ provider: 'touchstone' })
    expect(told).toContain('agent file-desk, policies see the tools as mcp__filesystem__*')
  })
})
