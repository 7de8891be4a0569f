import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { startSharedService } from '#harness/process.ts'
import { blocksOf, type Page, readersFolder, readPage } from '#harness/reader.ts'

const TEAMS: Page = { page: 'docs/guide/teams.md', refused: [409] }
const RISK: Page = { page: 'docs/guide/risk.md' }
/** The proof is there when it is there; a machine may be slower than the page thinks. */
const PROVEN = `until curl -sS $URL/v1/risk/proofs/$PROOF -H "$AUTH" | grep -q '"status":"verified"'; do sleep 0.2; done`

const PAGES: readonly Page[] = [
  { page: 'README.md', blocks: [2, 3] },
  { page: 'docs/guide/agents.md', refused: [404] },
  { page: 'docs/guide/appeal.md' },
  { page: 'docs/guide/containment.md', refused: [403] },
  { page: 'docs/guide/evidence.md', ends: { 3: 1 } },
  { page: 'docs/guide/gateway.md' },
  // It never ends by itself.
  { page: 'docs/guide/live.md', words: { 'curl -sSN': 'curl -m 1 -sSN' }, ends: { 1: 28 } },
  TEAMS,
  {
    page: 'docs/guide/models.md',
    blocks: [3],
    after: TEAMS,
    words: { 'Claims desk': 'Second desk' },
  },
  { page: 'docs/guide/opentelemetry.md', words: { 'parcel-helper': 'parcel-watcher' } },
  { page: 'docs/guide/policy-tests.md', blocks: [2] },
  RISK,
  {
    ...{ page: 'docs/guide/proofs.md', blocks: [1, 2, 3, 4] },
    ...{ after: RISK, words: { buyer: 'buyer-2', seller: 'seller-2', 'sleep 3': PROVEN } },
  },
  { page: 'docs/guide/sign-in.md', blocks: [1, 2, 5, 9, 12, 16, 21] },
  { page: 'docs/guide/transactions.md', refused: [422, 422, 409] },
  { page: 'docs/guide/webhooks.md', blocks: [1] },
]

/** What is run elsewhere, or is no command to be run as it stands. */
const ELSEWHERE: Readonly<Record<string, { blocks: readonly number[]; why: string }>> = {
  'a2a.md': { blocks: [1, 2], why: 'a2a-guide.test.ts' },
  'backup.md': { blocks: [1, 2, 3, 4], why: 'folders of root; cli-service.test.ts does the same' },
  'cli.md': { blocks: [1, 2, 3, 4, 5, 6], why: 'cli-guide.test.ts' },
  'mcp.md': { blocks: [1], why: 'cli-guide.test.ts' },
  'models.md': { blocks: [1, 2], why: 'settings alone' },
  'on-chain.md': { blocks: [1, 2, 3, 4, 5, 6, 7, 8], why: 'on-chain.test.ts, cli-service.test.ts' },
  'policy-tests.md': { blocks: [1], why: 'policy-tests.test.ts' },
  'proofs.md': { blocks: [5], why: 'external-prover.test.ts' },
  'run.md': { blocks: [1, 2, 3], why: 'one-process.test.ts, several-processes.test.ts' },
  'sign-in.md': {
    blocks: [3, 4, 6, 7, 8, 10, 11, 13, 14, 15, 17, 18, 19, 20],
    why: 'tokens of mails and of providers stand for themselves; test/http does the same',
  },
  'webhooks.md': { blocks: [2], why: 'names a delivery that failed; webhooks.test.ts' },
}

let dir: string
let url: string

beforeAll(async () => {
  dir = await readersFolder()
  const service = await startSharedService({ DATA_DIR: join(dir, '.touchstone') })
  url = service.url
})

describe('the pages of the guide', () => {
  it.each(PAGES)('are typed and do what they say: $page', async (page) => {
    await readPage(page, { dir, url })
  })

  it('have no command that no test runs', async () => {
    const folder = fileURLToPath(new URL('../../docs/guide/', import.meta.url))
    for (const name of (await readdir(folder)).filter((file) => file.endsWith('.md'))) {
      const count = (await blocksOf(`docs/guide/${name}`)).length
      const here = PAGES.find(({ page }) => page === `docs/guide/${name}`)
      const all = Array.from({ length: count }, (_, at) => at + 1)
      const run = here === undefined ? [] : (here.blocks ?? all)
      const known = [...run, ...(ELSEWHERE[name]?.blocks ?? [])].sort((a, b) => a - b)
      expect(known, name).toEqual(all)
    }
  })
})
