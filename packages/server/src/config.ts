import { isAbsolute, resolve } from 'node:path'
import {
  DECISION_DURABILITIES,
  type DecisionDurability,
} from './areas/governance/decisions/durability.ts'
import { PLAN_IDS } from './areas/platform/plans/catalogue.ts'
import { STREAM_WAITS, type StreamWaits } from './areas/platform/stream/waits.ts'
import type { ChainSettings } from './chain/chain-node.ts'
import { readChain } from './chain-config.ts'
import {
  ConfigError,
  createReader,
  type Environment,
  parseAddress,
  type Reader,
  withFiles,
} from './config-reader.ts'
import { parseHosts } from './database/hosts.ts'
import { checkUrl } from './egress/egress-rules.ts'
import type { RedisAddress } from './http/limits/redis-address.ts'
import { type LogSettings, readLog } from './log-config.ts'
import type { ModelSettings } from './model/model-client.ts'
import { type ModelGatewaySettings, readModelGateway } from './model-gateway-config.ts'

/**
 * The settings as one typed object. Only main.ts reads the environment and passes it to
 * `readConfig`.
 */
export type Config = {
  host: string
  port: number
  baseUrl: string
  dataDir: string
  databaseUrl: string | undefined
  databaseDirectUrl: string | undefined
  databaseReplicaUrls: readonly string[]
  migrateAtStart: boolean
  databaseConnectionsMax: number
  preparedStatements: boolean
  secretKey: Buffer | undefined
  attestationSeed: Buffer | undefined
  metricsAddr: { host: string; port: number } | undefined
  corsOrigins: readonly string[]
  legacyKeyHeaders: readonly string[]
  trustedHops: number
  shutdownDelayMs: number
  /** 0 for no limit. */
  connectionsPerAddress: number
  decisionDurability: DecisionDurability
  decisionRetentionDays: number
  escalationArguments: boolean
  rateLimits: boolean
  redis: RedisAddress | undefined
  oidcIssuers: readonly OidcIssuer[]
  localIdp: boolean
  signupMode: 'invite' | 'open' | 'closed'
  orgsPerAccountMax: number
  bootstrapEmail: string | undefined
  bootstrapPassword: string | undefined
  adminEmails: readonly string[]
  defaultPlan: string
  allowLoopbackEgress: boolean
  egressAllowCidrs: readonly string[]
  mail: { transport: 'file' | 'console' | 'smtp'; smtpUrl: string | undefined; from: string }
  analyzer: 'rules' | 'llm'
  analysisFailurePolicy: 'fail_open' | 'fail_closed' | 'rules'
  antiGaming: 'exclude' | 'record'
  badgeLabel: string
  providerId: string
  model: ModelSettings | undefined
  modelGateway: ModelGatewaySettings
  chain: ChainSettings
  witnessedLog: LogSettings
  stream: StreamWaits
  prover: ProverSettings | undefined
  otlpEndpoint: string | undefined
  logLevel: string
}

/** An external prover; the operator chooses its name in receipts. */
export type ProverSettings = {
  url: string
  key: string | undefined
  system: string
  systemVersion: string
}

export type OidcIssuer = { issuer: string; audience: string; jwksUri: string | undefined }

/** One line each, for `touchstone serve --help` and docs/guide/run.md: name, default, meaning. */
export const SETTINGS: readonly (readonly [name: string, fallback: string, meaning: string])[] = [
  ['HOST', '127.0.0.1', 'address to listen on'],
  ['PORT', '8787', 'port to listen on'],
  ['BASE_URL', 'http://localhost:PORT', 'public address of the service'],
  [
    'DATA_DIR',
    './.touchstone',
    'folder of the embedded database, first-start credentials and e-mail',
  ],
  [
    'DATABASE_URL',
    '',
    'a PostgreSQL 14+ to use instead of the embedded one; with several hosts: host1:5432,host2:5432',
  ],
  [
    'DATABASE_DIRECT_URL',
    '',
    'the database itself, for LISTEN and migrations, if DATABASE_URL leads to a connection pooler',
  ],
  [
    'DATABASE_REPLICA_URLS',
    '',
    'comma-separated addresses of read replicas, which answer lists and public reads',
  ],
  ['MIGRATE_AT_START', 'on', 'off to start only on a database that touchstone db migrate prepared'],
  ['DATABASE_POOL_MAX', '10', 'database connections of this process'],
  ['PREPARED_STATEMENTS', 'on', 'off for a connection pooler without prepared statements'],
  ['SECRET_KEY', '', '32 bytes as base64 that encrypt stored secrets; generated in embedded mode'],
  [
    'SIGNING_KEY_SEED',
    '',
    '32 bytes as base64, seed of the certificate signing key; default: generated',
  ],
  ['METRICS_ADDR', '127.0.0.1:9464', 'address of GET /metrics; off to disable'],
  ['CORS_ORIGINS', '', 'comma-separated origins whose pages can call the API'],
  [
    'LEGACY_KEY_HEADERS',
    '',
    'comma-separated further names of the header X-Service-Api-Key, such as X-Mnemom-Api-Key',
  ],
  ['TRUSTED_HOPS', '0', 'number of proxies whose X-Forwarded-For entries are trusted'],
  [
    'SHUTDOWN_DELAY',
    '0',
    'seconds between the first failed readiness check and the end of accepting connections',
  ],
  [
    'CONNECTIONS_PER_ADDRESS',
    '200',
    'open connections of one address; 0 for no limit, which is the default behind proxies',
  ],
  [
    'DECISION_DURABILITY',
    'before_answer',
    'before_answer, or after_answer: allow and warn are answered first and stored within 50 ms',
  ],
  ['DECISION_RETENTION_DAYS', '400', 'days after which decisions are deleted, by whole months'],
  ['ESCALATION_ARGUMENTS', 'on', 'off never stores the arguments of calls that need approval'],
  ['RATE_LIMITS', 'on', 'off disables rate limits'],
  [
    'REDIS_URL',
    '',
    'Redis for rate limits that are exact across processes: redis://, redis+sentinel:// or redis+cluster://',
  ],
  ['OIDC_ISSUERS', '[]', 'JSON list of {issuer, audience, jwks_uri?} whose tokens are accepted'],
  ['LOCAL_IDP', 'on', 'off disables sign-in with e-mail and password'],
  ['SIGNUP_MODE', 'invite', 'invite, open or closed'],
  ['ORGS_PER_ACCOUNT_MAX', '20', 'organisations that one person can own'],
  ['BOOTSTRAP_EMAIL', 'owner@localhost', 'e-mail of the account created at the first start'],
  ['BOOTSTRAP_PASSWORD', '(random)', 'its password, 12 to 128 characters'],
  ['ADMIN_EMAILS', '', 'comma-separated verified e-mails of platform administrators'],
  ['DEFAULT_PLAN', 'plan-enterprise', 'plan of new organisations'],
  ['ALLOW_LOOPBACK_EGRESS', 'off', 'development: allow tenants to use URLs on this machine'],
  ['EGRESS_ALLOW_CIDRS', '', 'comma-separated private ranges that URLs of tenants can point to'],
  ['MAIL_TRANSPORT', 'file', 'file (DATA_DIR/outbox), console or smtp'],
  ['SMTP_URL', '', 'smtp://user:password@host:port, for MAIL_TRANSPORT=smtp'],
  ['MAIL_FROM', 'Touchstone <no-reply@localhost>', 'sender of e-mails'],
  ['ANALYZER', 'rules', 'rules, or llm to analyse checkpoints with a model; needs MODEL_PROVIDER'],
  ['MODEL_PROVIDER', 'none', 'none, openai or anthropic: the protocol of the model server'],
  ['MODEL_URL', '', 'its base URL, without /chat/completions or /v1/messages'],
  ['MODEL_NAME', '', 'name of the model'],
  ['MODEL_KEY', '', 'API key of the model server, if required'],
  ['ANALYSIS_FAILURE_POLICY', 'fail_open', 'if an analysis fails: fail_open, fail_closed or rules'],
  [
    'MODEL_GATEWAY_UPSTREAMS',
    '{}',
    'JSON {anthropic?, openai?, gemini?: origin; openai_compatible?: [origins]}: the model servers that agents can reach',
  ],
  [
    'ESCALATION_HOLD_SECONDS',
    '60',
    'how long the model gateway holds a call that waits for an approval',
  ],
  [
    'ANALYSIS_HOLD_MS',
    '2000',
    'how long the model gateway waits for the analysis of a turn before it releases its calls',
  ],
  [
    'ANTI_GAMING',
    'exclude',
    'exclude or record: whether flagged clear checkpoints count in scores',
  ],
  ['BADGE_LABEL', 'Touchstone', 'text of the left half of a badge'],
  ['PROVIDER_ID', 'touchstone', 'provider name of this service in scores'],
  [
    'CHAIN_MODE',
    'embedded',
    'embedded: a built-in development chain; rpc: the chain at CHAIN_RPC_URL',
  ],
  ['CHAIN_RPC_URL', '', 'JSON-RPC URL of the chain, for CHAIN_MODE=rpc'],
  ['CHAIN_ID', '', 'its id: 8453 or 84532, for CHAIN_MODE=rpc'],
  [
    'RELAYER_KEY',
    '',
    'private key that signs transactions, 0x and 64 hex digits; generated if embedded',
  ],
  ['ANCHOR_ADDRESS', '', 'MerkleAnchor contract, for CHAIN_MODE=rpc; see touchstone chain deploy'],
  ['REGISTRY_ADDRESS', '', 'ReputationRegistry contract, for CHAIN_MODE=rpc'],
  ['MAX_FEE_GWEI', '5', 'maximum fee per unit of gas; above it nothing is sent'],
  ['ANCHOR_CRON', '0 0,6,12,18 * * *', 'when all agents are anchored, in UTC; empty: never'],
  ['ANCHOR_ROOT', 'agents', 'agents or log: what these anchors are over'],
  ['LOG_ORIGIN', '', 'name of the witnessed log; default: the host of BASE_URL and /log'],
  [
    'LOG_STORE',
    'database',
    'where the tiles of the log are kept: database, file:///folder or s3://bucket/prefix',
  ],
  ['LOG_S3_ENDPOINT', '', 'URL of the S3-compatible store; default: Amazon S3 in LOG_S3_REGION'],
  ['LOG_S3_REGION', 'us-east-1', 'its region'],
  ['LOG_S3_ACCESS_KEY_ID', '', 'access key for LOG_STORE=s3://…'],
  ['LOG_S3_SECRET_ACCESS_KEY', '', 'its secret'],
  ['WITNESSES', '[]', 'JSON list of {name, vkey, url}: witnesses that cosign the log'],
  ['WITNESS_QUORUM', '0', 'how many must cosign a checkpoint before it is published'],
  ['PROVER_URL', '', 'URL of an external prover of risk scores; https, or http on this machine'],
  ['PROVER_KEY', '', 'API key of the external prover, if required'],
  ['PROVER_SYSTEM', '', 'its name in receipts: name/version, such as acme-prover/2.1'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', '', 'OTLP/HTTP endpoint that receives traces'],
  ['LOG_LEVEL', 'info', 'trace, debug, info, warn, error, fatal or silent'],
]

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

export function readConfig(given: Environment, cwd: string): Config {
  const names = SETTINGS.map(([name]) => name)
  const env = withFiles(given, names)
  const read = createReader(env)
  const port = read.integer('PORT', 8787, { min: 0, max: 65_535 })
  const dataDir = read.text('DATA_DIR') ?? './.touchstone'
  return {
    host: read.text('HOST') ?? '127.0.0.1',
    port,
    baseUrl: (read.url('BASE_URL', ['http:', 'https:']) ?? `http://localhost:${port}`).replace(
      /\/$/,
      '',
    ),
    dataDir: isAbsolute(dataDir) ? dataDir : resolve(cwd, dataDir),
    databaseUrl: read.databaseUrl('DATABASE_URL'),
    databaseDirectUrl: directUrl(read),
    databaseReplicaUrls: replicaUrls(read),
    shutdownDelayMs: 1000 * read.integer('SHUTDOWN_DELAY', 0, { min: 0, max: 600 }),
    migrateAtStart: read.flag('MIGRATE_AT_START', true),
    databaseConnectionsMax: read.integer('DATABASE_POOL_MAX', 10, { min: 1, max: 1000 }),
    preparedStatements: read.flag('PREPARED_STATEMENTS', true),
    secretKey: read.key('SECRET_KEY'),
    attestationSeed: read.key('SIGNING_KEY_SEED'),
    metricsAddr: read.address('METRICS_ADDR', { host: '127.0.0.1', port: 9464 }),
    corsOrigins: read.origins('CORS_ORIGINS'),
    legacyKeyHeaders: read.keyHeaders('LEGACY_KEY_HEADERS'),
    trustedHops: read.integer('TRUSTED_HOPS', 0, { min: 0, max: 10 }),
    connectionsPerAddress: connectionsPerAddress(read),
    decisionDurability: read.choice('DECISION_DURABILITY', DECISION_DURABILITIES, 'before_answer'),
    decisionRetentionDays: read.integer('DECISION_RETENTION_DAYS', 400, { min: 1, max: 36_500 }),
    escalationArguments: read.flag('ESCALATION_ARGUMENTS', true),
    rateLimits: read.flag('RATE_LIMITS', true),
    redis: read.redis('REDIS_URL'),
    oidcIssuers: readIssuers(read),
    localIdp: read.flag('LOCAL_IDP', true),
    signupMode: read.choice('SIGNUP_MODE', ['invite', 'open', 'closed'], 'invite'),
    orgsPerAccountMax: read.integer('ORGS_PER_ACCOUNT_MAX', 20, { min: 1, max: 10_000 }),
    bootstrapEmail: read.email('BOOTSTRAP_EMAIL'),
    bootstrapPassword: read.password('BOOTSTRAP_PASSWORD'),
    adminEmails: read.emails('ADMIN_EMAILS'),
    defaultPlan: read.choice('DEFAULT_PLAN', PLAN_IDS, 'plan-enterprise'),
    allowLoopbackEgress: read.flag('ALLOW_LOOPBACK_EGRESS', false),
    egressAllowCidrs: read.cidrs('EGRESS_ALLOW_CIDRS'),
    mail: readMail(read),
    ...readAnalysis(read),
    badgeLabel: read.text('BADGE_LABEL') ?? 'Touchstone',
    providerId: read.text('PROVIDER_ID') ?? 'touchstone',
    antiGaming: read.choice('ANTI_GAMING', ['exclude', 'record'], 'exclude'),
    modelGateway: readModelGateway(read, env['MODEL_GATEWAY_UPSTREAMS']),
    chain: readChain(read, env['ANCHOR_CRON']),
    witnessedLog: readLog(read),
    stream: STREAM_WAITS,
    prover: readProver(read),
    otlpEndpoint: read.url('OTEL_EXPORTER_OTLP_ENDPOINT', ['http:', 'https:']),
    logLevel: read.choice('LOG_LEVEL', LOG_LEVELS, 'info'),
  }
}

/** Where LISTEN and migrations go if a pooler stands before the database. */
function directUrl(read: Reader): string | undefined {
  const url = read.databaseUrl('DATABASE_DIRECT_URL')
  if (url !== undefined && read.databaseUrl('DATABASE_URL') === undefined) {
    throw new ConfigError('DATABASE_DIRECT_URL needs DATABASE_URL, the address of the pooler.')
  }
  return url
}

/** Each server has an address of its own, since a replica is asked by itself. */
function replicaUrls(read: Reader): string[] {
  const name = 'DATABASE_REPLICA_URLS'
  const urls = read.text(name)?.split(/,\s*(?=postgres(?:ql)?:)/) ?? []
  if (urls.length > 0 && read.databaseUrl('DATABASE_URL') === undefined) {
    throw new ConfigError(`${name} needs DATABASE_URL, the address of the primary.`)
  }
  for (const url of urls) {
    if (parseAddress(name, url, parseHosts)?.hosts.length === 1) continue
    throw new ConfigError(`${name} must list one address per server, each with its own scheme.`)
  }
  return urls
}

/** Behind a proxy, all connections have its address. */
function connectionsPerAddress(read: Reader): number {
  const isProxied = read.integer('TRUSTED_HOPS', 0, { min: 0, max: 10 }) > 0
  return read.integer('CONNECTIONS_PER_ADDRESS', isProxied ? 0 : 200, { min: 0, max: 100_000 })
}

function readMail(read: Reader): Config['mail'] {
  const transport = read.choice('MAIL_TRANSPORT', ['file', 'console', 'smtp'], 'file')
  const smtpUrl = read.url('SMTP_URL', ['smtp:', 'smtps:'])
  if (transport === 'smtp' && smtpUrl === undefined) {
    throw new ConfigError('MAIL_TRANSPORT=smtp needs SMTP_URL.')
  }
  return { transport, smtpUrl, from: read.text('MAIL_FROM') ?? 'Touchstone <no-reply@localhost>' }
}

const FAILURE_POLICIES = ['fail_open', 'fail_closed', 'rules'] as const

function readAnalysis(read: Reader): Pick<Config, 'analyzer' | 'analysisFailurePolicy' | 'model'> {
  const analyzer = read.choice('ANALYZER', ['rules', 'llm'], 'rules')
  const model = readModel(read)
  if (analyzer === 'llm' && model === undefined) {
    throw new ConfigError(
      'ANALYZER=llm needs a model: set MODEL_PROVIDER (openai or anthropic), MODEL_URL and MODEL_NAME.',
    )
  }
  const analysisFailurePolicy = read.choice(
    'ANALYSIS_FAILURE_POLICY',
    FAILURE_POLICIES,
    'fail_open',
  )
  return { analyzer, analysisFailurePolicy, model }
}

/** With the provider none the other settings are unused, but an invalid value is still an error. */
function readModel(read: Reader): ModelSettings | undefined {
  const provider = read.choice('MODEL_PROVIDER', ['none', 'openai', 'anthropic'], 'none')
  const url = read.url('MODEL_URL', ['http:', 'https:'])
  const name = read.printable('MODEL_NAME')
  const key = read.printable('MODEL_KEY')
  if (url !== undefined && new URL(url).username + new URL(url).password !== '') {
    throw new ConfigError('MODEL_URL must not contain a user or password; set MODEL_KEY instead.')
  }
  if (provider === 'none') return undefined
  if (url === undefined || name === undefined) {
    const missing = url === undefined ? 'MODEL_URL' : 'MODEL_NAME'
    throw new ConfigError(`MODEL_PROVIDER=${provider} needs ${missing}.`)
  }
  return { provider, url, name, key }
}

/** Assessment inputs are sent there, so the connection must be encrypted or local. */
function readProver(read: Reader): ProverSettings | undefined {
  const url = read.url('PROVER_URL', ['http:', 'https:'])
  const key = read.printable('PROVER_KEY')
  const named = read.text('PROVER_SYSTEM')
  const [, system, systemVersion] = PROVER_NAME.exec(named ?? '') ?? []
  if (named !== undefined && (system === undefined || system.startsWith('touchstone'))) {
    throw new ConfigError(
      'PROVER_SYSTEM must be a distinct name and a version, such as acme-prover/2.1.',
    )
  }
  if (url === undefined) return undefined
  const check = checkUrl(url, { allowLoopback: true, allowCidrs: read.cidrs('EGRESS_ALLOW_CIDRS') })
  if (!check.ok) throw new ConfigError(`PROVER_URL cannot be called: ${check.reason}.`)
  if (system === undefined || systemVersion === undefined) {
    throw new ConfigError('PROVER_URL needs PROVER_SYSTEM.')
  }
  return { url, key, system, systemVersion }
}

const PROVER_NAME = /^([a-z0-9][a-z0-9._-]{1,63})\/([A-Za-z0-9._-]{1,32})$/

const ISSUERS_FORM =
  'OIDC_ISSUERS must be a JSON list like [{"issuer":"https://…","audience":"…"}].'

function readIssuers(read: Reader): OidcIssuer[] {
  const wrong = new ConfigError(ISSUERS_FORM)
  return read.jsonList('OIDC_ISSUERS', ISSUERS_FORM).map((item) => {
    const { issuer, audience, jwks_uri: jwksUri } = item
    if (typeof issuer !== 'string' || typeof audience !== 'string') throw wrong
    if (!URL.canParse(issuer) || (jwksUri !== undefined && !URL.canParse(String(jwksUri)))) {
      throw wrong
    }
    return { issuer, audience, jwksUri: jwksUri === undefined ? undefined : String(jwksUri) }
  })
}
