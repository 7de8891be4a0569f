import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { testApp } from '#harness/app.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'

const pathOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

describe('the guide to A2A', () => {
  it('has commands that run as written, and shows the extension with its current fields', async () => {
    const t = await testApp()
    const base_url = await t.app.server.listen({ port: 0, host: '127.0.0.1' })
    const dir = await temporaryDir()
    const credentials = join(dir, 'credentials.json')
    await writeFile(credentials, JSON.stringify({ base_url, api_key: t.first.api_key }))
    const guide = await readFile(pathOf('docs/guide/a2a.md'), 'utf8')
    const card = join(dir, 'agent-card.json')
    // Runs in the root of the repository, as a reader would, but with temporary files.
    const script = blocksOf(guide, 'sh')
      .join('')
      .replaceAll('./.touchstone/credentials.json', credentials)
      .replaceAll('/tmp/agent-card.json', card)
    const child = spawn('bash', ['-e', '-c', script], { cwd: pathOf('') })
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += String(chunk)
    })
    const [code] = await once(child, 'close')
    expect(code).toBe(0)

    const { a2a_trust_extension: extension } = (await t.call('GET', '/v1/reputation/card-holder'))
      .body
    const [shown = '{}'] = blocksOf(guide, '')
    expect(Object.keys(JSON.parse(shown))).toEqual(Object.keys(extension))
    expect(output).toContain(JSON.stringify(extension, null, 2))

    const { extension_uri: uri, ...params } = extension
    const [written] = JSON.parse(await readFile(card, 'utf8')).capabilities.extensions
    expect(written).toMatchObject({ uri, required: false, params })
    const [shownCard = '{}'] = blocksOf(guide, 'json')
    const [described] = JSON.parse(shownCard).capabilities.extensions
    expect(Object.keys(written)).toEqual(Object.keys(described))
  })
})

function blocksOf(text: string, language: string): string[] {
  const blocks = [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)]
  return blocks.filter(([, name]) => name === language).map(([, , code = '']) => code)
}
