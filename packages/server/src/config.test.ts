import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryDir } from '#harness/temporary-dir.ts'
import { readConfig, SETTINGS } from './config.ts'
import { ConfigError } from './config-reader.ts'

describe('settings', () => {
  it('have the documented defaults', () => {
    expect(readConfig({}, '/srv')).toMatchObject({
      host: '127.0.0.1',
      port: 8787,
      baseUrl: 'http://localhost:8787',
      dataDir: '/srv/.touchstone',
      databaseUrl: undefined,
      metricsAddr: { host: '127.0.0.1', port: 9464 },
      signupMode: 'invite',
      localIdp: true,
      rateLimits: true,
      defaultPlan: 'plan-enterprise',
      mail: { transport: 'file' },
      analyzer: 'rules',
      analysisFailurePolicy: 'fail_open',
      antiGaming: 'exclude',
      model: undefined,
    })
    expect(readConfig({ PORT: '9000' }, '/').baseUrl).toBe('http://localhost:9000')
    expect(readConfig({ BASE_URL: 'https://x.example/' }, '/').baseUrl).toBe('https://x.example')
    expect(readConfig({ METRICS_ADDR: '[::1]:9000' }, '/').metricsAddr).toEqual({
      host: '::1',
      port: 9000,
    })
    expect(readConfig({ METRICS_ADDR: 'off' }, '/').metricsAddr).toBeUndefined()
  })

  it('are read from files, as containers mount secrets', async () => {
    const dir = await temporaryDir()
    const file = join(dir, 'secret_key')
    writeFileSync(file, `${Buffer.alloc(32, 7).toString('base64')}\n`)
    expect(readConfig({ SECRET_KEY_FILE: file }, '/').secretKey).toEqual(Buffer.alloc(32, 7))
    expect(() => readConfig({ SECRET_KEY_FILE: `${file}.gone` }, '/')).toThrow(/SECRET_KEY_FILE/)
    const both = { SECRET_KEY_FILE: file, SECRET_KEY: 'c2hvcnQ=' }
    expect(() => readConfig(both, '/')).toThrow('Set SECRET_KEY or SECRET_KEY_FILE, not both.')
    for (const content of ['short\n', '', '\n']) {
      writeFileSync(file, content)
      expect(() => readConfig({ SECRET_KEY_FILE: file }, '/')).toThrow(ConfigError)
    }
    expect(() => readConfig({ DATABASE_URL_FILE: file }, '/')).toThrow('DATABASE_URL_FILE')
    expect(() => readConfig({ SECRET_KEY_FILE: dir }, '/')).toThrow(ConfigError)
  })

  it.each([
    ['PORT', '70000'],
    ['BASE_URL', 'localhost'],
    ['DATABASE_URL', 'mysql://x'],
    ['DATABASE_URL', 'postgres://h1,,h2/db'],
    ['DATABASE_URL', 'postgres://h1,h2/db?target_session_attrs=standby'],
    ['DATABASE_DIRECT_URL', 'postgres://db/touchstone'],
    ['DATABASE_REPLICA_URLS', 'postgres://db/touchstone'],
    ['SHUTDOWN_DELAY', '601'],
    ['DATABASE_POOL_MAX', '0'],
    ['PREPARED_STATEMENTS', 'perhaps'],
    ['SECRET_KEY', 'c2hvcnQ='],
    ['SIGNING_KEY_SEED', 'c2hvcnQ='],
    ['METRICS_ADDR', '9464'],
    ['CORS_ORIGINS', 'dash.example'],
    ['LEGACY_KEY_HEADERS', 'X Key'],
    ['LEGACY_KEY_HEADERS', 'Authorization'],
    ['LEGACY_KEY_HEADERS', 'X-Mnemom-Api-Key, Idempotency-Key'],
    ['ADMIN_EMAILS', 'root'],
    ['TRUSTED_HOPS', '-1'],
    ['RATE_LIMITS', 'maybe'],
    ['REDIS_URL', 'http://x'],
    ['OIDC_ISSUERS', '[{"issuer":"https://x"}]'],
    ['LOCAL_IDP', 'sometimes'],
    ['SIGNUP_MODE', 'everyone'],
    ['BOOTSTRAP_PASSWORD', 'short'],
    ['BOOTSTRAP_EMAIL', 'nobody'],
    ['DEFAULT_PLAN', 'plan-gold'],
    ['EGRESS_ALLOW_CIDRS', '10.0.0.0'],
    ['MAIL_TRANSPORT', 'pigeon'],
    ['SMTP_URL', 'http://x'],
    ['ANALYZER', 'gut'],
    ['ANALYZER', 'llm'],
    ['MODEL_PROVIDER', 'oracle'],
    ['MODEL_URL', '127.0.0.1:11434'],
    ['MODEL_URL', 'http://user:password@127.0.0.1:11434'],
    ['MODEL_NAME', 'two words'],
    ['MODEL_KEY', 'line\nbreak'],
    ['ANALYSIS_FAILURE_POLICY', 'shrug'],
    ['MODEL_GATEWAY_UPSTREAMS', 'http://localhost:11434'],
    ['MODEL_GATEWAY_UPSTREAMS', '{"openai_compatible":"http://localhost:11434"}'],
    ['MODEL_GATEWAY_UPSTREAMS', '{"openai":"http://localhost:11434/v1"}'],
    ['MODEL_GATEWAY_UPSTREAMS', '{"mistral":"https://api.mistral.ai"}'],
    ['ESCALATION_HOLD_SECONDS', '601'],
    ['ANALYSIS_HOLD_MS', '-1'],
    ['ANTI_GAMING', 'off'],
    ['PROVER_URL', 'prover:8080'],
    ['PROVER_URL', 'http://prover.example/prove'],
    ['PROVER_URL', 'https://user:password@prover.example/'],
    ['PROVER_KEY', 'two words'],
    ['PROVER_SYSTEM', 'without-version'],
    ['PROVER_SYSTEM', 'touchstone-stark/1.0'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['LOG_LEVEL', 'loud'],
  ])('refuse %s=%s with a line that names it', (name, value) => {
    const read = () => readConfig({ [name]: value }, '/')
    expect(read).toThrow(ConfigError)
    expect(read).toThrow(name)
  })

  it('have a model only if provider, URL and name are all given', () => {
    const model = {
      MODEL_PROVIDER: 'openai',
      MODEL_URL: 'http://127.0.0.1:11434/v1',
      MODEL_NAME: 'small-1',
    }
    expect(readConfig({ ...model, ANALYZER: 'llm' }, '/')).toMatchObject({
      analyzer: 'llm',
      model: { provider: 'openai', url: model.MODEL_URL, name: 'small-1', key: undefined },
    })
    expect(readConfig({ ...model, MODEL_KEY: 'k' }, '/').model?.key).toBe('k')
    expect(readConfig({ ...model, MODEL_PROVIDER: 'none' }, '/').model).toBeUndefined()
    for (const name of ['MODEL_URL', 'MODEL_NAME']) {
      expect(() => readConfig({ ...model, [name]: '' }, '/')).toThrow(`needs ${name}`)
    }
    expect(() => readConfig({ ...model, MODEL_PROVIDER: '', ANALYZER: 'llm' }, '/')).toThrow(
      /MODEL_PROVIDER.*MODEL_URL and MODEL_NAME/,
    )
  })

  it('need a distinct system name for an external prover', () => {
    expect(readConfig({}, '/').prover).toBeUndefined()
    const given = { PROVER_URL: 'http://127.0.0.1:9000/prove', PROVER_SYSTEM: 'acme-prover/2.1' }
    expect(readConfig({ ...given, PROVER_KEY: 'k' }, '/').prover).toEqual({
      url: given.PROVER_URL,
      key: 'k',
      system: 'acme-prover',
      systemVersion: '2.1',
    })
    expect(() => readConfig({ ...given, PROVER_SYSTEM: '' }, '/')).toThrow(
      'PROVER_URL needs PROVER_SYSTEM',
    )
    const inside = { ...given, PROVER_URL: 'https://10.0.0.7/prove' }
    expect(() => readConfig(inside, '/')).toThrow('PROVER_URL cannot be called')
    expect(readConfig({ ...inside, EGRESS_ALLOW_CIDRS: '10.0.0.0/8' }, '/').prover).toBeDefined()
  })

  it('do not show an invalid key', () => {
    expect(() => readConfig({ MODEL_KEY: 'secret key' }, '/')).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining('secret') }),
    )
  })

  it('of the chain must be complete, and an invalid key is not shown', () => {
    const rpc = {
      CHAIN_MODE: 'rpc',
      CHAIN_RPC_URL: 'https://node.example',
      CHAIN_ID: '84532',
      RELAYER_KEY: `0x${'11'.repeat(32)}`,
    }
    expect(readConfig({}, '/').chain).toMatchObject({
      mode: 'embedded',
      chainId: 31_337,
      feeWeiMax: 5_000_000_000n,
      anchorCron: '0 0,6,12,18 * * *',
      anchorRoot: 'agents',
    })
    expect(readConfig({ ...rpc, MAX_FEE_GWEI: '0.5', ANCHOR_CRON: '' }, '/').chain).toMatchObject({
      mode: 'rpc',
      chainId: 84_532,
      feeWeiMax: 500_000_000n,
      anchorCron: undefined,
    })
    for (const name of ['CHAIN_RPC_URL', 'CHAIN_ID', 'RELAYER_KEY']) {
      expect(() => readConfig({ ...rpc, [name]: '' }, '/')).toThrow(`needs ${name}`)
    }
    expect(() => readConfig({ ...rpc, RELAYER_KEY: '0xsecret' }, '/')).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining('secret') }),
    )
    expect(() => readConfig({ ANCHOR_CRON: 'at noon' }, '/')).toThrow('ANCHOR_CRON')
    expect(() => readConfig({ CHAIN_ID: '1' }, '/')).toThrow('CHAIN_ID')
  })

  it('are all listed in the guide', () => {
    const guide = readFileSync(new URL('../../../docs/guide/run.md', import.meta.url), 'utf8')
    for (const [name, fallback, meaning] of SETTINGS) {
      const shown = fallback === '' ? '' : `\`${fallback}\``
      expect(guide).toContain(`| \`${name}\` | ${shown} | ${meaning} |`)
    }
  })
})
