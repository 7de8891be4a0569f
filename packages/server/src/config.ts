import { isAbsolute, resolve } from 'node:path'
import { PLAN_IDS } from './areas/platform/plans/catalogue.ts'
import { ConfigError, createReader, type Environment, type Reader } from './config-reader.ts'

/** Settings as one typed object. Only main.ts reads the environment; it hands it to `readConfig`. */
export type Config = {
  host: string
  port: number
  baseUrl: string
  dataDir: string
  databaseUrl: string | undefined
  databaseConnectionsMax: number
  preparedStatements: boolean
  secretKey: Buffer | undefined
  attestationSeed: Buffer | undefined
  metricsAddr: { host: string; port: number } | undefined
  corsOrigins: readonly string[]
  trustedHops: number
  rateLimits: boolean
  redisUrl: string | undefined
  oidcIssuers: readonly OidcIssuer[]
  localIdp: boolean
  signupMode: 'invite' | 'open' | 'closed'
  bootstrapEmail: string | undefined
  bootstrapPassword: string | undefined
  adminEmails: readonly string[]
  defaultPlan: string
  allowLoopbackEgress: boolean
  egressAllowCidrs: readonly string[]
  mail: { transport: 'file' | 'console' | 'smtp'; smtpUrl: string | undefined; from: string }
  otlpEndpoint: string | undefined
  logLevel: string
}

export type OidcIssuer = { issuer: string; audience: string; jwksUri: string | undefined }

/** One line each, for `touchstone serve --help` and the README: name, default, meaning. */
export const SETTINGS: readonly (readonly [name: string, fallback: string, meaning: string])[] = [
  ['HOST', '127.0.0.1', 'address to listen on'],
  ['PORT', '8787', 'port to listen on'],
  ['BASE_URL', 'http://localhost:PORT', 'the address people and agents reach the service at'],
  ['DATA_DIR', './.touchstone', 'folder of the embedded database, first-run credentials and mail'],
  ['DATABASE_URL', '', 'a PostgreSQL 14+ to use instead of the embedded one'],
  ['DATABASE_POOL_MAX', '10', 'database connections of this process'],
  ['PREPARED_STATEMENTS', 'on', 'off behind a pooler that cannot keep prepared statements'],
  ['SECRET_KEY', '', '32 bytes as base64 that seal stored secrets; embedded mode makes its own'],
  ['SIGNING_KEY_SEED', '', '32 bytes as base64 that certificates are signed with; else generated'],
  ['METRICS_ADDR', '127.0.0.1:9464', 'where GET /metrics listens; off to disable'],
  ['CORS_ORIGINS', '', 'origins, separated by commas, whose pages may call the API'],
  ['TRUSTED_HOPS', '0', 'proxies in front whose X-Forwarded-For entries are believed'],
  ['RATE_LIMITS', 'on', 'off disables rate limits'],
  ['REDIS_URL', '', 'Redis that makes rate limits exact across processes'],
  ['OIDC_ISSUERS', '[]', 'JSON list of {issuer, audience, jwks_uri?} whose tokens are accepted'],
  ['LOCAL_IDP', 'on', 'off disables sign-in with e-mail and password'],
  ['SIGNUP_MODE', 'invite', 'invite, open or closed'],
  ['BOOTSTRAP_EMAIL', 'owner@localhost', 'e-mail of the account made on the first start'],
  ['BOOTSTRAP_PASSWORD', '(random)', 'its password, 12 to 128 characters'],
  ['ADMIN_EMAILS', '', 'verified e-mails, separated by commas, that are platform administrators'],
  ['DEFAULT_PLAN', 'plan-enterprise', 'plan of new organisations'],
  ['ALLOW_LOOPBACK_EGRESS', 'off', 'development: tenants may name URLs on this machine'],
  ['EGRESS_ALLOW_CIDRS', '', 'private ranges, separated by commas, tenants may name URLs in'],
  ['MAIL_TRANSPORT', 'file', 'file (DATA_DIR/outbox), console or smtp'],
  ['SMTP_URL', '', 'smtp://user:password@host:port, for MAIL_TRANSPORT=smtp'],
  ['MAIL_FROM', 'Touchstone <no-reply@localhost>', 'sender of e-mails'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', '', 'OTLP/HTTP endpoint that receives traces'],
  ['LOG_LEVEL', 'info', 'trace, debug, info, warn, error, fatal or silent'],
]

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

export function readConfig(env: Environment, cwd: string): Config {
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
    databaseUrl: read.url('DATABASE_URL', ['postgres:', 'postgresql:']),
    databaseConnectionsMax: read.integer('DATABASE_POOL_MAX', 10, { min: 1, max: 1000 }),
    preparedStatements: read.flag('PREPARED_STATEMENTS', true),
    secretKey: read.key('SECRET_KEY'),
    attestationSeed: read.key('SIGNING_KEY_SEED'),
    metricsAddr: read.address('METRICS_ADDR', { host: '127.0.0.1', port: 9464 }),
    corsOrigins: read.origins('CORS_ORIGINS'),
    trustedHops: read.integer('TRUSTED_HOPS', 0, { min: 0, max: 10 }),
    rateLimits: read.flag('RATE_LIMITS', true),
    redisUrl: read.url('REDIS_URL', ['redis:', 'rediss:']),
    oidcIssuers: readIssuers(env['OIDC_ISSUERS']),
    localIdp: read.flag('LOCAL_IDP', true),
    signupMode: read.choice('SIGNUP_MODE', ['invite', 'open', 'closed'], 'invite'),
    bootstrapEmail: read.email('BOOTSTRAP_EMAIL'),
    bootstrapPassword: read.password('BOOTSTRAP_PASSWORD'),
    adminEmails: read.emails('ADMIN_EMAILS'),
    defaultPlan: read.choice('DEFAULT_PLAN', PLAN_IDS, 'plan-enterprise'),
    allowLoopbackEgress: read.flag('ALLOW_LOOPBACK_EGRESS', false),
    egressAllowCidrs: read.cidrs('EGRESS_ALLOW_CIDRS'),
    mail: readMail(read),
    otlpEndpoint: read.url('OTEL_EXPORTER_OTLP_ENDPOINT', ['http:', 'https:']),
    logLevel: read.choice('LOG_LEVEL', LOG_LEVELS, 'info'),
  }
}

function readMail(read: Reader): Config['mail'] {
  const transport = read.choice('MAIL_TRANSPORT', ['file', 'console', 'smtp'], 'file')
  const smtpUrl = read.url('SMTP_URL', ['smtp:', 'smtps:'])
  if (transport === 'smtp' && smtpUrl === undefined) {
    throw new ConfigError('SMTP_URL is needed with MAIL_TRANSPORT=smtp.')
  }
  return { transport, smtpUrl, from: read.text('MAIL_FROM') ?? 'Touchstone <no-reply@localhost>' }
}

function readIssuers(value: string | undefined): OidcIssuer[] {
  if (value === undefined || value === '') return []
  const wrong = new ConfigError(
    'OIDC_ISSUERS must be a JSON list like [{"issuer":"https://…","audience":"…"}].',
  )
  const list = parseJson(value, wrong)
  if (!Array.isArray(list)) throw wrong
  return list.map((item: Record<string, unknown>) => {
    const { issuer, audience, jwks_uri: jwksUri } = item ?? {}
    if (typeof issuer !== 'string' || typeof audience !== 'string') throw wrong
    if (!URL.canParse(issuer) || (jwksUri !== undefined && !URL.canParse(String(jwksUri)))) {
      throw wrong
    }
    return { issuer, audience, jwksUri: jwksUri === undefined ? undefined : String(jwksUri) }
  })
}

function parseJson(value: string, wrong: ConfigError): unknown {
  try {
    return JSON.parse(value)
  } catch {
    throw wrong
  }
}
