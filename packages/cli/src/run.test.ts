import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { onFileFinished } from '#harness/on-file-finished.ts'
import { freePort } from '#harness/port.ts'
import { COMMANDS } from './commands.ts'
import { run } from './run.ts'

type Handler = (req: IncomingMessage, res: ServerResponse) => void

/** Starts a service with the given request handler and returns its address. */
async function startService(handle: Handler): Promise<string> {
  const server = createServer(handle).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onFileFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function touchstone(line: string, { url, input = '' }: { url: string; input?: string }) {
  const stdout = new PassThrough()
  const chunks: Buffer[] = []
  stdout.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    stdout.emit('printed')
  })
  let err = ''
  const code = run(line.split(' '), {
    commands: COMMANDS,
    env: {
      url,
      apiKey: 'tsk_test',
      orgId: undefined,
      agent: undefined,
      dataDir: undefined,
      configFile: '/nowhere/config.json',
      version: '0',
      cwd: '/nowhere',
      all: {},
    },
    stdin: Readable.from(input === '' ? [] : [input]),
    stopSignal: () => new AbortController().signal,
    color: false,
    hasProgress: false,
    stdout,
    stderr: (text) => {
      err += text
    },
  })
  const printed = () => Buffer.concat(chunks).toString()
  return { stdout, code, printed, err: () => err }
}

describe('touchstone export', () => {
  it('prints a character unchanged even if it is split between two chunks', async () => {
    const text = Buffer.from('{"note":"Überprüft: ✓"}\n')
    const middle = text.indexOf(Buffer.from('✓')) + 1
    let rest: (() => void) | undefined
    const url = await startService((_req, res) => {
      res.writeHead(200, { 'content-type': 'application/json' })
      res.write(text.subarray(0, middle))
      rest = () => void res.end(text.subarray(middle))
    })
    const { stdout, code, printed } = await touchstone('export some-agent', { url })
    stdout.once('printed', () => rest?.())
    expect(await code).toBe(0)
    expect(printed()).toBe(text.toString())
  })
})

describe('a failed command', () => {
  it('says how to start a service that does not run on this machine', async () => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const { code, err } = await touchstone('agents list', { url })
    expect(await code).toBe(2)
    expect(err()).toContain(`does not answer: connect ECONNREFUSED 127.0.0.1:${port}. Start it`)
    const doctor = await touchstone('doctor', { url })
    expect(await doctor.code).toBe(1)
    expect(doctor.printed()).toContain('Start it with "touchstone serve"')
  })

  it('names the command that lists the agents if one is unknown', async () => {
    const url = await startService((_req, res) => {
      const body = { error: 'not_found', message: 'No such agent.' }
      res.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    })
    const { code, err } = await touchstone('agents show codex-HOST', { url })
    expect(await code).toBe(2)
    expect(err()).toContain('No such agent. (404 not_found) "touchstone agents list" lists')
  })
})

describe('touchstone doctor', () => {
  it('reports the clock as not checked if the service sends no Date header', async () => {
    const url = await startService((_req, res) => {
      res.sendDate = false
      res.writeHead(200, { 'content-type': 'application/json' }).end('{"agents":[],"total":0}')
    })
    const { code, printed } = await touchstone('doctor --json', { url })
    expect(await code).toBe(0)
    const { checks } = JSON.parse(printed())
    expect(checks).toContainEqual({
      name: 'clock',
      ok: true,
      told: 'not checked: the service sent no Date header',
    })
  })
})

describe('touchstone policy impact', () => {
  const input = '{"meta": {"scope": "org"}}'
  const impact = {
    relation: null,
    unweighed: [],
    may_loosen: [],
    traces_evaluated: 0,
    tools: [],
    counterexample: { newly_blocked: 'a\u001b[2Jb', newly_allowed: null },
    newly_failing: 0,
    newly_passing: 0,
    unchanged: 0,
  }
  const answering = (answer: object) =>
    startService((_req, res) => {
      res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
    })

  it('fails the gate if the relation is unknown', async () => {
    const url = await answering(impact)
    const gate = await touchstone('policy impact - --forbid-looser', { url, input })
    expect(await gate.code).toBe(1)
    expect(gate.printed()).toContain('FAILED the draft may allow tools that are blocked today\n')
    const known = await answering({ ...impact, relation: 'stricter' })
    const passed = await touchstone('policy impact - --forbid-looser', { url: known, input })
    expect(await passed.code).toBe(0)
  })

  it('replaces control characters in the names it prints', async () => {
    const { code, printed } = await touchstone('policy impact -', {
      url: await answering(impact),
      input,
    })
    expect(await code).toBe(0)
    expect(printed()).toContain('\nNewly blocked, for example: a\u{FFFD}[2Jb\n')
  })
})

describe('a command that signs in', () => {
  it('prints its result even if the session cannot be ended', async () => {
    const url = await startService((req, res) => {
      const status = req.url === '/v1/auth/logout' ? 400 : 200
      const body = { access_token: 'a', refresh_token: 'r', message: 'No.', error: 'no' }
      res.writeHead(req.method === 'DELETE' ? 204 : status, { 'content-type': 'application/json' })
      res.end(req.method === 'DELETE' ? undefined : JSON.stringify(body))
    })
    const line = 'agents archive some-agent --email owner@x.example'
    const { code, printed, err } = await touchstone(line, { url, input: 'a password\n' })
    expect(await code).toBe(0)
    expect(printed()).toBe('Archived some-agent.\n')
    expect(err()).toContain('The session could not be ended: No.')
  })
})
