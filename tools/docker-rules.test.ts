import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import {
  type Compose,
  composeFindings,
  copiedPaths,
  dockerfileFindings,
  readDockerfile,
} from './docker-rules.ts'

const path = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url))
const read = (name: string) => readFileSync(path(name), 'utf8')

const END = 'USER 65532\nHEALTHCHECK CMD ["true"]\n'
const findings = (text: string, dockerignore = '*\n') => dockerfileFindings(text, { dockerignore })

describe('our Dockerfile', () => {
  const text = read('Dockerfile')
  const instructions = readDockerfile(text)

  it('breaks no rule', () => {
    expect(findings(text, read('.dockerignore'))).toEqual([])
  })

  it('copies only paths that exist and that .dockerignore does not leave out', () => {
    const copied = instructions.flatMap(copiedPaths)
    expect(copied).toContain('packages')
    const kept = new Set(read('.dockerignore').split('\n'))
    for (const source of copied) {
      expect(existsSync(path(source)), source).toBe(true)
      expect(kept, source).toContain(`!${source.split('/')[0]}`)
    }
  })

  it('starts the command of the package touchstone, on the Node that was tested', () => {
    const { bin, name } = JSON.parse(read('packages/cli/package.json'))
    const [node, option, program] = JSON.parse(
      instructions.find((one) => one.name === 'ENTRYPOINT')?.rest ?? '',
    )
    expect(node).toBe('/usr/local/bin/node')
    const { scripts } = JSON.parse(read('package.json'))
    expect(scripts.start).toBe(`node ${option} tools/start.mjs`)
    expect(program).toBe(`/app/node_modules/${name}/${bin.touchstone.slice(2)}`)
  })
})

describe('our compose.yaml', () => {
  const compose: Compose & { secrets: Record<string, { file: string }> } = parse(
    read('compose.yaml'),
  )

  it('breaks no rule', () => {
    expect(composeFindings(compose)).toEqual([])
  })

  it('names only secrets that docker/make-secrets.sh writes, and none is in the repository', () => {
    const script = read('docker/make-secrets.sh')
    for (const { file } of Object.values(compose.secrets)) {
      expect(script).toContain(`>${file.slice(2)}\n`)
    }
    expect(read('.gitignore').split('\n')).toContain('/secrets/')
    expect(read('.dockerignore')).not.toContain('!secrets')
  })

  it('mounts only files that exist', () => {
    const mounts = Object.values(compose.services)
      .flatMap(({ volumes }) => (Array.isArray(volumes) ? volumes.map(String) : []))
      .filter((volume) => volume.startsWith('./'))
    expect(mounts.length).toBeGreaterThan(0)
    for (const mount of mounts) expect(existsSync(path(mount.split(':')[0] ?? ''))).toBe(true)
  })
})

describe('dockerfileFindings', () => {
  it.each([
    ['FROM node', 'pin the version of node'],
    ['FROM node:latest', 'pin the version of node:latest'],
    ['FROM node:24', 'pin the version of node:24'],
    ['FROM scratch\nADD x /x', 'use COPY'],
    ['FROM scratch\nCMD serve', 'JSON list'],
    ['FROM scratch\nWORKDIR app', 'absolute'],
    ['FROM scratch\nENV DB_PASSWORD=hunter2', 'secret'],
    ['FROM scratch\nRUN sudo true', 'sudo'],
    ['FROM scratch\nRUN curl -O https://a.example/x', 'download'],
    ['FROM scratch\nRUN cat a | sh', 'pipefail'],
    ['FROM scratch\nRUN apt-get update && apt-get install -y x', 'rm -rf /var/lib/apt/lists'],
  ])('reports %j', (text, expected) => {
    expect(findings(`${text}\n${END}`)).toEqual([expect.stringContaining(expected)])
  })

  it('accepts versions, digests, earlier stages and lists that are removed', () => {
    const digest = `node@sha256:${'0'.repeat(64)}`
    const apt =
      'RUN apt-get update \\\n  && apt-get install -y --no-install-recommends x \\\n  && rm -rf /var/lib/apt/lists/*'
    const text = `FROM node:24.1.0-slim AS a\n${apt}\nFROM ${digest} AS b\nFROM a\n${END}`
    expect(findings(text)).toEqual([])
  })

  it('needs a USER other than root and a HEALTHCHECK in the final stage', () => {
    expect(findings(`FROM a:1.0 AS b\n${END}FROM scratch`)).toEqual([
      'the final stage needs a USER',
      'the final stage needs a HEALTHCHECK',
    ])
    for (const user of ['root', '0', '0:0', 'node']) {
      expect(findings(`FROM scratch\nHEALTHCHECK CMD ["x"]\nUSER ${user}`)).toEqual([
        'USER must be a number other than 0',
      ])
    }
  })

  it('accepts the whole context only if .dockerignore lists what is kept', () => {
    const text = `FROM scratch\nCOPY . /src\n${END}`
    expect(findings(text)).toEqual([])
    expect(findings(text, 'node_modules\n')).toEqual([expect.stringContaining('.dockerignore')])
  })
})

describe('composeFindings', () => {
  const good = {
    image: 'a:1.0',
    restart: 'always',
    read_only: true,
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true'],
    healthcheck: { test: ['CMD', 'true'] },
  }
  const of = (change: object) => composeFindings({ services: { a: { ...good, ...change } } })

  it('accepts a service that follows every rule', () => {
    expect(of({})).toEqual([])
  })

  it('leaves the health check of an image that is built here to its Dockerfile', () => {
    expect(of({ healthcheck: undefined, build: '.' })).toEqual([])
    expect(of({ build: '.', healthcheck: { disable: true } })).toHaveLength(1)
  })

  it.each([
    [{ image: 'a:latest' }, 'pin'],
    [{ healthcheck: undefined }, 'healthcheck'],
    [{ privileged: true }, 'privileged'],
    [{ network_mode: 'host' }, 'network'],
    [{ read_only: false }, 'read_only'],
    [{ cap_drop: [] }, 'cap_drop'],
    [{ security_opt: [] }, 'security_opt'],
    [{ restart: 'no' }, 'restart'],
    [{ healthcheck: { test: ['NONE'] } }, 'healthcheck'],
    [{ ports: ['8787:8787'] }, '127.0.0.1'],
    [{ environment: { POSTGRES_PASSWORD: 'postgres' } }, '/run/secrets'],
    [{ environment: { SECRET_KEY_FILE: './key' } }, '/run/secrets'],
    [{ depends_on: { b: { condition: 'service_started' } } }, 'healthy'],
    [{ volumes: ['data:/data'] }, 'declare the volume data'],
    [{ secrets: ['key'] }, 'declare the secret key'],
    [{ volumes: ['/var/run/docker.sock:/x'] }, 'socket'],
  ])('reports %j', (change, expected) => {
    expect(of(change)).toHaveLength(1)
    expect(of(change)[0]).toContain(expected)
  })
})
