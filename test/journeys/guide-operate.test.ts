import { cp, mkdir, readFile, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { startModelServer } from '#harness/model-server.ts'
import { freePort } from '#harness/port.ts'
import { type Page, readersDesk, readPage } from '#harness/reader.ts'
import {
  FORECAST_REPLY,
  RECOMMENDATION_REPLY,
} from '../../packages/server/src/areas/fleet/intelligence/intelligence.fixture.ts'

const pathOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const READY = 'curl -sS http://localhost:8787/health/ready'

describe('the guide to running it', () => {
  it('starts the service with and without npm', async () => {
    const page: Page = {
      page: 'docs/guide/run.md',
      blocks: [1, 2],
      // `serve` runs it in the background and stops it at the end.
      words: { 'node --max-semi-space-size=16 packages/server/bin/touchstone.mjs serve': 'serve' },
      before: { 2: READY },
      last: READY,
    }
    const output = await readPage(page, await readersDesk())
    expect(output.match(/"status":"ready"/g)).toHaveLength(2)
  })

  it('prepares an external database, and starts the service with it, also among several hosts', async () => {
    const server = new URL(inject('postgresUrl'))
    await prepareDatabase()
    const desk = await readersDesk()
    const page: Page = {
      page: 'docs/guide/run.md',
      blocks: [3, 4],
      words: { 'db.example.com': server.host, 'db1:5432,db2:5432': `127.0.0.1:1,${server.host}` },
      before: { 4: READY },
      last: `npm start; ${READY}`,
    }
    const output = await readPage(page, desk)
    expect(output.match(/"database":{"status":"ok"}/g)).toHaveLength(2)
    const credentials = await readFile(join(desk.dir, '.touchstone', 'credentials.json'), 'utf8')
    expect(JSON.parse(credentials)).toMatchObject({ email: 'owner@localhost' })
  })
})

/** Runs the SQL statements of the page as an administrator. */
async function prepareDatabase(): Promise<void> {
  const guide = await readFile(pathOf('docs/guide/run.md'), 'utf8')
  const [, statements = ''] = /^```sql\n(.*?)^```$/ms.exec(guide) ?? []
  const admin = new pg.Client({ connectionString: inject('postgresUrl') })
  await admin.connect()
  onTestFinished(async () => {
    await admin.query('drop database if exists touchstone with (force)')
    await admin.query('drop role if exists touchstone')
    await admin.end()
  })
  for (const statement of statements.trim().split('\n')) {
    await admin.query(statement).catch((err: pg.DatabaseError) => {
      // A role belongs to the whole server, so the databases of other tests may have created it.
      if (!/"touchstone_purge" already exists/.test(err.message)) throw err
    })
  }
}

describe('the guide to the dashboard', () => {
  it('serves the sources with Vite and proxies API requests to the service', async () => {
    const desk = await readersDesk()
    const url = `http://localhost:${await freePort()}`
    // Vite writes its cache next to the sources, so they must be a copy.
    await rm(join(desk.dir, 'packages'))
    await cp(pathOf('packages/web'), join(desk.dir, 'packages/web'), { recursive: true })
    const others = ['protocol', 'prover', 'sdk', 'server'].map((name) => `packages/${name}`)
    for (const name of ['tsconfig.base.json', ...others]) {
      await symlink(pathOf(name), join(desk.dir, name))
    }
    const page: Page = {
      page: 'docs/guide/dashboard.md',
      words: { 'npx vite': `TOUCHSTONE_URL=${desk.url} running vite --port ${new URL(url).port}` },
      before: { 1: 'npm start' },
      last: `curl -sS ${url}/; curl -sS ${url}/src/main.tsx; curl -sS ${url}/health/ready`,
    }
    const output = await readPage(page, desk)
    expect(output).toContain('src="/src/main.tsx"')
    expect(output).toContain('import "/src/theme.css"')
    expect(output).toContain('"status":"ready"')
  })
})

describe('the guide to backups', () => {
  it('backs up a running service, and restores it into an empty folder', async () => {
    const desk = await readersDesk()
    for (const name of ['lib', 'backups', 'safe']) await mkdir(join(desk.dir, name))
    const words = {
      '/var/lib': `${desk.dir}/lib`,
      '/backups': `${desk.dir}/backups`,
      '/safe/elsewhere': `${desk.dir}/safe`,
    }
    const LOGIN = `
      LOGIN=$(jq -c '{email, password}' ${desk.dir}/lib/touchstone/credentials.json)
      curl -sS http://localhost:8787/v1/auth/login -H 'content-type: application/json' -d "$LOGIN"`
    const page: Page = {
      page: 'docs/guide/backup.md',
      words,
      before: { 1: 'DATA_DIR=/var/lib/touchstone npm start', 3: 'stop' },
      last: `DATA_DIR=/var/lib/touchstone-new npm start; ${LOGIN}`,
    }
    const output = await readPage(page, desk)
    expect(output).toMatch(/Backup of \d+ rows written to .*touchstone-2026-03-01\.backup/)
    const [, digest] = /^([0-9a-f]{64}) {2}-$/m.exec(output) ?? []
    expect(output).toContain(`sha256 ${digest}\n`)
    expect(output).toContain('"token_type":"Bearer"')
  })
})

describe('the guide to proofs', () => {
  it('uses the external prover of the page', async () => {
    const proverPort = String(await freePort())
    const shown = { page: 'docs/guide/proofs.md' } as const
    const page: Page = {
      ...shown,
      blocks: [1],
      after: {
        page: 'docs/guide/risk.md',
        blocks: [1, 2],
        after: { ...shown, blocks: [5] },
      },
      words: {
        '8899': proverPort,
        'sleep 3': `until curl -sS $URL/v1/risk/proofs/$PROOF -H "$AUTH" | grep -q '"status":"verified"'; do sleep 0.2; done`,
      },
    }
    const output = await readPage(page, await readersDesk())
    expect(output).toContain('"system":"acme-prover","system_version":"2.1"')
  })
})

/** The model's analysis of the checkpoint in the README. */
const VERDICT = {
  verdict: 'clear',
  concerns: [],
  reasoning_summary: 'A plain answer.',
  conscience_context: { supports: [], considerations: [] },
}

describe('the guide to models', () => {
  it('sets up a model for analysis and for advice, with either protocol', async () => {
    const server = await startModelServer()
    server.plan(
      { reply: VERDICT },
      { reply: FORECAST_REPLY },
      { reply: RECOMMENDATION_REPLY },
      { reply: FORECAST_REPLY },
      { reply: RECOMMENDATION_REPLY },
    )
    const page = 'docs/guide/models.md'
    const words = {
      'http://127.0.0.1:11434': server.url,
      'https://models.example.com': server.url,
      'MODEL_KEY=…': 'MODEL_KEY=the-key-of-the-reader',
    }
    const last = 'cat recommendation.json'
    const judged: Page = {
      page: 'README.md',
      blocks: [2, 7],
      after: { page, blocks: [1], words },
    }
    const teams: Page = { page: 'docs/guide/teams.md', refused: [409], after: judged }
    const advised: Page = { page, blocks: [3], last, after: teams }
    const hosted: Page = { page, blocks: [2], words, after: advised }
    const desk = await readersDesk()
    await readPage({ page, blocks: [3], last, after: hosted }, desk)
    expect(
      server.questions.map(({ path, model, headers }) => [path, model, headers['x-api-key']]),
    ).toEqual([
      ...Array.from({ length: 3 }, () => ['/v1/chat/completions', 'my-model', undefined]),
      ...Array.from({ length: 2 }, () => ['/v1/messages', 'my-model', 'the-key-of-the-reader']),
    ])
  })
})
