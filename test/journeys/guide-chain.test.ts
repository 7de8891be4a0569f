import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { verifyAnchorProof } from '@touchstone/protocol/chain'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { testChain } from '#harness/chain.ts'
import { type Page, readersDesk, readPage } from '#harness/reader.ts'

const page = 'docs/guide/on-chain.md'
/** The service anchors its log on a schedule; the test shortens it to one second. */
const EVERY_SECOND = '* * * * * *'
const ANCHORED = `until curl -sS $URL/v1/on-chain/status/$AGENT -H "$AUTH" | grep -q '"anchor_id":"'; do sleep 0.2; done`

describe('the guide to the chain', () => {
  it('publishes and anchors on the embedded chain, and verifies both without the service', async () => {
    const rated: Page = {
      page: 'docs/guide/cli.md',
      blocks: [1, 3],
      before: { 1: 'npm start' },
    }
    const published: Page = {
      page,
      blocks: [1, 2, 3, 4, 5, 6, 7],
      before: { 6: ANCHORED },
      after: rated,
    }
    const desk = await readersDesk({ ANCHOR_CRON: EVERY_SECOND })
    const output = await readPage(published, desk)
    expect(output).toContain('"mode":"embedded"')
    expect(output).toMatch(/^agent +cli-agent$/m)
    expect(output).toMatch(/^verified$/m)
    const proof = JSON.parse(await readFile(join(desk.dir, 'anchor-proof.json'), 'utf8'))
    expect(verifyAnchorProof(proof)).toMatchObject({ agentId: 'cli-agent' })
  })

  it('deploys the contracts to an external chain, and starts the service with them', async () => {
    const chain = await testChain()
    const key = generatePrivateKey()
    await chain.rpc('anvil_setBalance', [privateKeyToAddress(key), '0xd3c21bcecceda1000000'])
    const output = await readPage(
      {
        page,
        blocks: [8],
        words: {
          'https://node.example.com': chain.url,
          'CHAIN_ID=84532': 'CHAIN_ID=31337',
          'RELAYER_KEY=0x…': `RELAYER_KEY=${key}`,
        },
        last: 'curl -sS http://localhost:8787/v1/on-chain/contracts',
      },
      await readersDesk({ ALLOW_LOOPBACK_EGRESS: 'true' }),
    )
    expect(output).toContain('"mode":"rpc"')
    for (const name of ['ANCHOR_ADDRESS', 'REGISTRY_ADDRESS']) {
      const [, address = ''] = new RegExp(`^${name}=(0x[0-9a-fA-F]{40})$`, 'm').exec(output) ?? []
      expect(output).toContain(`"${address.toLowerCase()}"`)
      const code = await chain.rpc('eth_getCode', [address, 'latest'])
      expect(String(code).length, name).toBeGreaterThan(100)
    }
  })
})
