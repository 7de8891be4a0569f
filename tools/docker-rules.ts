/** Rules for the Dockerfile and compose.yaml, after those of hadolint and the CIS Docker Benchmark. */

export type Instruction = { line: number; name: string; rest: string }

/** The instructions of a Dockerfile, with continued lines joined and comments removed. */
export function readDockerfile(text: string): Instruction[] {
  const found: Instruction[] = []
  let open: Instruction | undefined
  for (const [index, raw] of text.split('\n').entries()) {
    const content = raw.trim()
    if (content === '' || content.startsWith('#')) continue
    const isContinued = content.endsWith('\\')
    const part = isContinued ? content.slice(0, -1).trim() : content
    if (open === undefined) {
      const [name = '', ...rest] = part.split(' ')
      open = { line: index + 1, name: name.toUpperCase(), rest: rest.join(' ').trim() }
      found.push(open)
    } else {
      open.rest = `${open.rest} ${part}`
    }
    if (!isContinued) open = undefined
  }
  return found
}

/** Paths that a COPY takes from the build context; none if it copies from another stage. */
export function copiedPaths({ name, rest }: Instruction): string[] {
  if (name !== 'COPY' || rest.includes('--from=')) return []
  return rest
    .split(' ')
    .filter((word) => !word.startsWith('--'))
    .slice(0, -1)
}

type Finding = string
type Rule = (instruction: Instruction, stages: ReadonlySet<string>) => Finding | undefined

/** `name:1.2` or a digest. A tag with one number, such as `node:24`, changes its contents. */
export function isPinned(image: string): boolean {
  return /@sha256:[0-9a-f]{64}$/.test(image) || /:v?\d+\.\d+[\w.-]*$/.test(image)
}

const RULES: readonly Rule[] = [
  ({ name, rest }, stages) => {
    if (name !== 'FROM') return undefined
    const image = rest.split(' ').find((word) => !word.startsWith('--')) ?? ''
    if (image === 'scratch' || stages.has(image) || isPinned(image)) return undefined
    return `pin the version of ${image}`
  },
  ({ name }) => (name === 'ADD' ? 'use COPY: ADD also downloads and unpacks' : undefined),
  ({ name, rest }) =>
    ['ENTRYPOINT', 'CMD'].includes(name) && !rest.startsWith('[')
      ? `write ${name} as a JSON list, so that signals reach the program`
      : undefined,
  ({ name, rest }) =>
    name === 'WORKDIR' && !rest.startsWith('/') ? 'use an absolute WORKDIR' : undefined,
  ({ name, rest }) =>
    ['ENV', 'ARG'].includes(name) && /(PASSWORD|SECRET|TOKEN|_KEY)\w*[= ]\S/.test(rest)
      ? `${name} stores a secret in the image`
      : undefined,
  ({ name, rest }) => (name === 'RUN' && /\bsudo\b/.test(rest) ? 'do not use sudo' : undefined),
  ({ name, rest }) =>
    name === 'RUN' && /\b(curl|wget)\b/.test(rest)
      ? 'do not download in RUN: nothing checks what arrives'
      : undefined,
  ({ name, rest }) =>
    name === 'RUN' && /[^|]\|[^|]/.test(rest) && !rest.includes('pipefail')
      ? 'a failure before the pipe is ignored: set -o pipefail, or use a script'
      : undefined,
  ({ name, rest }) => (name === 'RUN' ? aptFinding(rest) : undefined),
]

function aptFinding(command: string): Finding | undefined {
  if (!/\bapt-get\b.*\binstall\b/.test(command)) return undefined
  const parts = ['apt-get update', '--no-install-recommends', 'rm -rf /var/lib/apt/lists']
  const missing = parts.filter((part) => !command.includes(part))
  return missing.length === 0 ? undefined : `apt-get install without ${missing.join(', ')}`
}

export function dockerfileFindings(text: string, { dockerignore }: { dockerignore: string }) {
  const instructions = readDockerfile(text)
  const stages = new Set(instructions.flatMap(({ rest }) => / AS (\S+)$/i.exec(rest)?.[1] ?? []))
  const found = instructions.flatMap((one) => {
    const findings = RULES.flatMap((rule) => rule(one, stages) ?? [])
    if (copiedPaths(one).includes('.') && !leavesAllOut(dockerignore))
      findings.push('COPY . needs a .dockerignore that starts with *')
    return findings.map((finding) => `${one.line}: ${finding}`)
  })
  return [...found, ...finalStageFindings(instructions)]
}

function leavesAllOut(dockerignore: string): boolean {
  return dockerignore.split('\n').find((line) => line !== '' && !line.startsWith('#')) === '*'
}

function finalStageFindings(instructions: readonly Instruction[]): Finding[] {
  const last = instructions.slice(instructions.findLastIndex(({ name }) => name === 'FROM'))
  const user = last.findLast(({ name }) => name === 'USER')?.rest
  const check = last.findLast(({ name }) => name === 'HEALTHCHECK')?.rest
  return [
    ...(user === undefined ? ['the final stage needs a USER'] : []),
    // Kubernetes can check only a number.
    ...(user !== undefined && !/^[1-9]\d*(:[1-9]\d*)?$/.test(user)
      ? ['USER must be a number other than 0']
      : []),
    ...(check === undefined || check === 'NONE' ? ['the final stage needs a HEALTHCHECK'] : []),
  ]
}

/** A service of compose.yaml; only what the rules read. */
type Service = Readonly<Record<string, unknown>>
export type Compose = Readonly<{
  services: Readonly<Record<string, Service>>
  volumes?: object
  secrets?: object
}>

const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

export function composeFindings(compose: Compose): Finding[] {
  return Object.entries(compose.services).flatMap(([name, service]) =>
    [
      ...hardeningFindings(service),
      ...environmentFindings(service),
      ...dependencyFindings(service, compose),
    ].map((finding) => `${name}: ${finding}`),
  )
}

function hardeningFindings(service: Service): Finding[] {
  const image = String(service['image'])
  const checks: [boolean, Finding][] = [
    [isPinned(image), `pin the version of ${image}`],
    [service['privileged'] !== true, 'must not be privileged'],
    [service['network_mode'] !== 'host', 'must not use the network of the host'],
    [service['read_only'] === true, 'needs read_only: true'],
    [asList(service['cap_drop']).includes('ALL'), 'needs cap_drop: [ALL]'],
    [
      asList(service['security_opt']).includes('no-new-privileges:true'),
      'needs security_opt no-new-privileges:true',
    ],
    [
      ['unless-stopped', 'always', 'on-failure'].includes(String(service['restart'])),
      'needs restart',
    ],
    [hasHealthcheck(service), 'needs a healthcheck'],
    [
      asList(service['ports']).every((port) => /^127\.0\.0\.1:\d+:\d+$/.test(String(port))),
      'publish ports on 127.0.0.1 only',
    ],
    [!JSON.stringify(service).includes('docker.sock'), 'must not mount the socket of Docker'],
  ]
  return checks.flatMap(([isMet, finding]) => (isMet ? [] : [finding]))
}

/** An image that is built here has one of its own, see `dockerfileFindings`. */
function hasHealthcheck({ build, healthcheck }: Service): boolean {
  if (healthcheck === undefined) return build !== undefined
  const { test, disable } = Object(healthcheck)
  return asList(test).length > 1 && disable !== true
}

/** A password in the environment shows in `docker inspect`, and a default one is known to everybody. */
function environmentFindings(service: Service): Finding[] {
  return Object.entries(Object(service['environment'])).flatMap(([name, value]) => {
    if (!/PASSWORD|SECRET|TOKEN|_KEY|(DATABASE|REDIS)_URL/.test(name)) return []
    const isFile = name.endsWith('_FILE') && String(value).startsWith('/run/secrets/')
    return isFile ? [] : [`pass ${name} as a file in /run/secrets`]
  })
}

function dependencyFindings(service: Service, { services, volumes, secrets }: Compose): Finding[] {
  const dependencies = Object(service['depends_on'])
  const unhealthy = Object.keys(dependencies).filter(
    (name) => dependencies[name]?.condition !== 'service_healthy' || !(name in services),
  )
  const named = asList(service['volumes'])
    .map((volume) => String(volume).split(':')[0] ?? '')
    .filter((source) => !/^[./]/.test(source) && !(source in Object(volumes)))
  const unknown = asList(service['secrets']).filter((name) => !(String(name) in Object(secrets)))
  return [
    ...unhealthy.map((name) => `wait until ${name} is healthy`),
    ...named.map((name) => `declare the volume ${name}`),
    ...unknown.map((name) => `declare the secret ${name}`),
  ]
}
