import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseTlogPolicy, verifyByPolicy, verifyLogProof } from '@touchstone/protocol/log'
import { describe, expect, it } from 'vitest'
import { CLI_BIN, type Service, startService } from '#harness/process.ts'
import { runProgram, startProgram } from '#harness/program.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'

const GUIDES = new URL('../../docs/guide/', import.meta.url)

/** The arguments of a command of a guide, with what the reader replaces. */
async function commandOf(
  guide: string,
  name: string,
  words: Readonly<Record<string, string>>,
): Promise<string[]> {
  const text = await readFile(fileURLToPath(new URL(guide, GUIDES)), 'utf8')
  const [, command = ''] =
    new RegExp(`^npx touchstone (${name} (?:.*\\\\\\n)*.*)$`, 'm').exec(text) ?? []
  const given = Object.entries(words).reduce((line, [word, own]) => {
    expect(line, `${guide} names ${word}`).toContain(word)
    return line.replaceAll(word, own)
  }, command)
  return given.split(/[\s\\]+/)
}

type Organisation = { name: string; dir: string; service: Service }

async function textAt({ service }: Organisation, path: string): Promise<string> {
  return (await fetch(service.url + path)).text()
}

async function vkeyOf(own: Organisation): Promise<string> {
  const [, vkey = ''] = /^log (\S+)/m.exec(await textAt(own, '/v1/log/policy')) ?? []
  return vkey
}

/** Runs a witness as the guide says; returns the entry of WITNESSES that its operator hands out. */
async function runWitness({ name, dir }: Organisation, logVkey: string) {
  const args = await commandOf('witness.md', 'witness', {
    'witness.example.com': `witness.${name}.example`,
    '127.0.0.1:8791': '127.0.0.1:0',
    '/var/lib/witness': join(dir, 'witness'),
    'trust.partner.example/log+95523f3a+AepKbGPinFIKvvVQexMuxfmVR3auvr57kkIe6mkURtIs': logVkey,
  })
  const { output } = startProgram(CLI_BIN, { args })
  await expect.poll(output).toMatch(/^logs /m)
  const [, url = ''] = /^listening on\s+(\S+)/m.exec(output()) ?? []
  const [, vkey = ''] = /^vkey\s+(\S+)/m.exec(output()) ?? []
  return { name, vkey, url }
}

const start = (dir: string, name: string, env: Record<string, string> = {}) =>
  startService({ DATA_DIR: join(dir, 'data'), LOG_ORIGIN: `trust.${name}.example/log`, ...env })

describe('two organisations that cosign for each other', () => {
  it('get there with the commands of the guides, and each can be followed with its partner', async () => {
    const [first, second] = await Promise.all(
      ['north', 'south'].map(async (name): Promise<Organisation> => {
        const dir = await temporaryDir()
        return { name, dir, service: await start(dir, name) }
      }),
    )
    if (first === undefined || second === undefined) throw new Error('two organisations')
    for (const [own, partner] of [
      [first, second],
      [second, first],
    ] as const) {
      const witness = await runWitness(partner, await vkeyOf(own))
      await own.service.end()
      own.service = await start(own.dir, own.name, {
        WITNESSES: JSON.stringify([witness]),
        WITNESS_QUORUM: '1',
      })
      await followedBy(partner, own, witness.vkey)
    }
  })
})

/** The partner follows the log, with a policy of its own that needs its own witness. */
async function followedBy(partner: Organisation, own: Organisation, witnessVkey: string) {
  const policy = `log ${await vkeyOf(own)}\nwitness ${partner.name} ${witnessVkey}\nquorum ${partner.name}\n`
  const trusted = parseTlogPolicy(policy)
  if (!trusted.ok) throw new Error(trusted.reason)
  const published = () => textAt(own, '/log/checkpoint')
  await expect
    .poll(async () => verifyByPolicy(await published(), trusted.value).ok, { timeout: 30_000 })
    .toBe(true)
  const file = join(partner.dir, 'policy.txt')
  await writeFile(file, policy)
  const args = await commandOf('log.md', 'monitor', {
    'https://trust.example.com/log': `${own.service.url}/log`,
    'policy.txt': file,
    'log.json': join(partner.dir, 'log.json'),
  })
  const { code, lines } = await runProgram(CLI_BIN, { args: [...args, '--once'] })
  expect(lines.join('\n')).toContain(`consistent: trust.${own.name}.example/log`)
  expect(code).toBe(0)
  const { body: keys } = await own.service.call('GET', '/v1/keys')
  const [signing] = keys.keys.filter(({ use }: { use: string }) => use === 'sig')
  const { log } = (await own.service.call('GET', '/health/ready')).body.checks
  expect(log.witnesses).toMatchObject([{ name: partner.name, status: 'ok' }])
  const proof = await fetch(`${own.service.url}/v1/log/proof/${signing.key_id}%2Fpublished`, {
    headers: { accept: 'application/json' },
  })
  expect(verifyLogProof(await proof.json(), trusted.value)).toMatchObject({
    ok: true,
    value: { cosignedBy: [`witness.${partner.name}.example`] },
  })
}
