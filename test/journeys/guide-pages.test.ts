import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { startPlannedProvider } from '#harness/mock-provider.ts'
import { startSharedService } from '#harness/process.ts'
import { blocksOf, type Page, readersFolder, readPage } from '#harness/reader.ts'
import { answerWith, startReceiver } from '#harness/receiver.ts'

const RISK: Page = { page: 'docs/guide/risk.md' }
/** Waits for the proof instead of sleeping, because the test machine may be slow. */
const PROVEN = `until curl -sS $URL/v1/risk/proofs/$PROOF -H "$AUTH" | grep -q '"status":"verified"'; do sleep 0.2; done`

/** Answers 404, because the page shows failed deliveries. */
const receiver = await startReceiver(answerWith(404))

/** Asks for one call that the policy of the page forbids, and then answers in text. */
const provider = await startPlannedProvider()
provider.plan(
  { parts: [{ tool: 'shell_run', input: { command: 'ls' } }] },
  { parts: [{ text: 'It is in the depot.' }] },
)

const PAGES: readonly Page[] = [
  { page: 'docs/guide/agents.md', refused: [404] },
  { page: 'docs/guide/appeal.md' },
  { page: 'docs/guide/containment.md', refused: [403] },
  { page: 'docs/guide/evidence.md', ends: { 3: 1 } },
  { page: 'docs/guide/gateway.md' },
  // The stream never ends by itself; curl exits with 28 at its timeout.
  { page: 'docs/guide/live.md', words: { 'curl -sSN': 'curl -m 1 -sSN' }, ends: { 1: 28 } },
  { page: 'docs/guide/model-gateway.md', words: { 'sk-ant-…': 'k', 'sk-…': 'k', 'AIza…': 'k' } },
  { page: 'docs/guide/opentelemetry.md', words: { 'parcel-helper': 'parcel-watcher' } },
  { page: 'docs/guide/policy-tests.md' },
  RISK,
  {
    page: 'docs/guide/proofs.md',
    blocks: [1, 2, 3, 4],
    after: RISK,
    words: { buyer: 'buyer-2', seller: 'seller-2', 'sleep 3': PROVEN },
  },
  { page: 'docs/guide/teams.md', refused: [409] },
  { page: 'docs/guide/transactions.md', refused: [422, 422, 409] },
  { page: 'docs/guide/webhooks.md', words: { 'https://example.com/hooks': receiver.url } },
]

/** Pages, or the listed blocks of a page, that another test runs because they need more setup. */
const RUN_ELSEWHERE: Readonly<Record<string, { blocks?: readonly number[]; test: string }>> = {
  'a2a.md': { test: 'a2a-guide.test.ts' },
  'backup.md': { test: 'guide-operate.test.ts' },
  'cli.md': { test: 'cli-guide.test.ts' },
  'install.md': { test: 'packages.test.ts' },
  'mcp.md': { test: 'cli-guide.test.ts' },
  'dashboard.md': { test: 'guide-operate.test.ts' },
  'models.md': { blocks: [1, 2, 3], test: 'guide-operate.test.ts' },
  'on-chain.md': { blocks: [1, 2, 3, 4, 5, 6, 7, 8], test: 'guide-chain.test.ts' },
  'proofs.md': { blocks: [5], test: 'guide-operate.test.ts' },
  'run.md': { blocks: [1, 2, 3, 4], test: 'guide-operate.test.ts' },
  'sign-in.md': { test: 'guide-sign-in.test.ts' },
}

let dir: string
let url: string

beforeAll(async () => {
  dir = await readersFolder()
  const { url: anthropic, url: openai, url: gemini } = provider
  const env = {
    DATA_DIR: join(dir, '.touchstone'),
    ALLOW_LOOPBACK_EGRESS: 'true',
    MODEL_GATEWAY_UPSTREAMS: JSON.stringify({ anthropic, openai, gemini }),
  }
  const service = await startSharedService(env)
  url = service.url
})

describe('the pages of the guide', () => {
  it.each(PAGES)('have commands that do what the page says: $page', async (page) => {
    const output = await readPage(page, { dir, url })
    if (page.page.includes('model-gateway')) expectGoverned(output)
  })

  it('have no command that no test runs', async () => {
    const journeys = new URL('./', import.meta.url)
    const folder = fileURLToPath(new URL('../../docs/guide/', import.meta.url))
    for (const name of (await readdir(folder)).filter((file) => file.endsWith('.md'))) {
      const all = (await blocksOf(`docs/guide/${name}`)).map((_, at) => at + 1)
      const here = PAGES.find(({ page }) => page === `docs/guide/${name}`)
      const elsewhere = RUN_ELSEWHERE[name]
      const run = here === undefined ? [] : (here.blocks ?? all)
      const known = [...run, ...(elsewhere === undefined ? [] : (elsewhere.blocks ?? all))]
      expect(
        known.sort((a, b) => a - b),
        name,
      ).toEqual(all)
      if (elsewhere === undefined) continue
      expect(await readFile(new URL(elsewhere.test, journeys), 'utf8')).toContain(
        `docs/guide/${name}'`,
      )
    }
  })
})

/** The programs of the page print what it says. */
function expectGoverned(output: string): void {
  expect(output).toMatch(/end_turn \[.*'Touchstone blocked shell_run: No shell \(dec-/s)
  expect(output.match(/It is in the depot\./g)?.length).toBeGreaterThanOrEqual(4)
  expect(output).toMatch(/ sealed +openai +sealed +enforce /)
  expect(output).toMatch(/"turns":\d/)
}
