import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Page, readersDesk, readPage } from '#harness/reader.ts'

describe('the commands of the guide', () => {
  it('do what the command line and MCP pages say', async () => {
    const desk = await readersDesk({ ALLOW_LOOPBACK_EGRESS: 'true' })
    const decided: Page = { page: 'README.md', blocks: [2, 7], before: { 2: 'npm start' } }
    const fromCredentials = (name: string) => `<<< "$(jq -r .${name} .touchstone/credentials.json)"`
    const cli: Page = {
      page: 'docs/guide/cli.md',
      after: decided,
      words: {
        'https://trust.example.com': desk.url,
        '--key\n': `--key ${fromCredentials('api_key')}\n`,
        'you@example.com': `owner@localhost ${fromCredentials('password')}`,
        'npx touchstone webhooks listen': 'running touchstone webhooks listen',
        'npx touchstone decisions tail': 'running touchstone decisions tail',
        '--email owner@localhost\n': `--email owner@localhost ${fromCredentials('password')}\n`,
      },
    }
    const output = await readPage({ page: 'docs/guide/mcp.md', after: cli }, desk)
    expect(output).toContain('60\n')
    expect(output).toMatch(/^passed {2}the minimum is met$/m)
    expect(output).toMatch(/^8 passed, 0 failed$/m)
    expect(output).toMatch(/^valid +yes$/m)
    expect(output).toMatch(/^dec-\S+ +\S+ +block +cli-desk +shell_run +stopped +No shell$/m)
    expect(output).toMatch(/^Wrote 3 decisions, \d+ bytes, to exported\.ndjson\.$/m)
    expect(output).toContain('  The parcel is back.\n')
    expect(output).toMatch(/^ +- shop_search # 1 decision, last \d{4}-\d\d-\d\d$/m)
    expect(output).toMatch(/^Wrote learned\.yaml$/m)
    expect(output).toMatch(/^status +approved$/m)
    expect(output).toMatch(/^was +FORBIDDEN_ACTION$/m)
    const card = JSON.parse(await readFile(join(desk.dir, 'agent-card-with-trust.json'), 'utf8'))
    expect(card.capabilities.extensions[0].params).toMatchObject({ provider: 'touchstone' })
    expect(output).toContain('agent file-desk, policies see the tools as mcp__filesystem__*')
  })
})
