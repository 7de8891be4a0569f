const SERVER = '^packages/server/src'
const FEATURE = `${SERVER}/areas/([^/]+)/([^/]+)`
const OWN = `${SERVER}/areas/$1/$2`
/** A large feature may have several of a role, such as session-service.ts and key-service.ts. */
const ROLES = '[a-z-]*(feature|routes|schema|service|ports|store|jobs)\\.ts$'
/** Talks to something outside, such as a mail server: neither rule nor store. */
const CLIENT = '-client\\.ts$'
const TEST = '\\.(test|fixture)\\.ts$'
/** Every rule may use the vocabulary of access, audit, cookies, ids and turns of models, the published protocol and its proofs. */
const VOCABULARY = `(${SERVER}/(access|audit|cookie|exports/csv|kernel/ids|model-turn)\\.ts|^packages/(protocol|prover)|^node_modules/@touchstone)`

const core = { path: `${FEATURE}/[^/]+\\.ts$`, pathNot: `/${ROLES}|${CLIENT}|${TEST}` }

/** The import rules of CONTRIBUTING.md, each an error from the first day. */
export default {
  forbidden: [
    rule('no-cycles', { from: {}, to: { circular: true } }),
    rule('features-are-islands', {
      from: { path: `${FEATURE}/`, pathNot: TEST },
      to: { path: `${SERVER}/areas/`, pathNot: `${OWN}/` },
    }),
    rule('core-is-pure', {
      from: core,
      to: { path: '^packages/', pathNot: `${OWN}/|${VOCABULARY}` },
    }),
    rule('core-is-pure-inside', {
      from: core,
      to: { path: `${OWN}/(${ROLES}|.*${CLIENT})` },
    }),
    rule('core-has-no-io', {
      from: core,
      to: {
        dependencyTypes: ['core', 'npm', 'npm-optional'],
        pathNot: '^(node:)?(crypto|url)$|@xmldom|@node-saml',
      },
    }),
    rule('store-decides-nothing', {
      from: { path: `${FEATURE}/[a-z-]*store\\.ts$` },
      to: {
        path: `${SERVER}/`,
        pathNot: `${OWN}/|${SERVER}/kernel/|${SERVER}/postgres/rows\\.ts|${VOCABULARY}`,
      },
    }),
    rule('store-knows-no-service', {
      from: { path: `${FEATURE}/[a-z-]*store\\.ts$` },
      to: { path: `${OWN}/[a-z-]*(feature|routes|schema|service|jobs)\\.ts$` },
    }),
    rule('routes-only-call-the-service', {
      from: { path: `${FEATURE}/[a-z-]*routes\\.ts$` },
      to: { path: `${OWN}/`, pathNot: `${OWN}/[a-z-]*(schema|service)\\.ts$` },
    }),
    rule('service-knows-no-http', {
      from: { path: `${FEATURE}/`, pathNot: `/[a-z-]*(routes|feature|schema)\\.ts$|${TEST}` },
      to: { path: `${SERVER}/http/|node_modules/fastify/` },
    }),
    rule('only-stores-see-the-query-builder', {
      from: { path: `${FEATURE}/[a-z-]*(routes|schema|jobs|feature)\\.ts$` },
      to: { path: 'node_modules/kysely/' },
    }),
    rule('kernel-knows-no-area', {
      from: {
        path: `${SERVER}/(kernel|database|http|postgres|backup|egress|exports|model|chain|telemetry|workers)/`,
        pathNot: TEST,
      },
      to: { path: `${SERVER}/(areas/|compose/|app\\.ts|serve\\.ts|main\\.ts)` },
    }),
    rule('demo-uses-the-api', {
      from: { path: `${SERVER}/demo/`, pathNot: TEST },
      to: { path: `${SERVER}/`, pathNot: `${SERVER}/(demo/|kernel/clock\\.ts|app\\.ts)` },
    }),
    rule('kernel-knows-no-http', {
      from: {
        path: `${SERVER}/(kernel|database|postgres|backup|egress|exports|model|chain|workers)/`,
        pathNot: TEST,
      },
      to: { path: `${SERVER}/http/` },
    }),
    rule('protocol-stands-alone', {
      from: { path: '^packages/protocol/src/', pathNot: `(sha256|ed25519)-node\\.ts$|${TEST}` },
      to: { dependencyTypes: ['core'] },
    }),
    rule('prover-stands-alone', {
      from: { path: '^packages/prover/src/', pathNot: TEST },
      to: {
        dependencyTypes: ['core', 'npm', 'npm-dev', 'npm-optional'],
        pathNot: '^packages/protocol/',
      },
    }),
    rule('prover-knows-protocol-only', {
      from: { path: '^packages/prover/' },
      to: { path: '^packages/(server|sdk)/' },
    }),
    rule('verifier-knows-no-prover', {
      from: { path: '^packages/prover/src/(stark/verify|risk/verify-risk)\\.ts$' },
      to: {
        path: '(prove|prover|prove-risk|commit-columns|quotient|polynomials|randomness)\\.ts$',
      },
    }),
    rule('cli-speaks-through-the-sdk', {
      from: { path: '^packages/cli/src/', pathNot: `load-server\\.ts$|${TEST}` },
      to: { path: '^packages/server/' },
    }),
    rule('sdk-knows-protocol-only', {
      from: { path: '^packages/sdk/' },
      to: { path: '^packages/', pathNot: '^packages/(sdk|protocol)/' },
    }),
    rule('protocol-knows-no-server', {
      from: { path: '^packages/protocol/' },
      to: { path: '^packages/server/' },
    }),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // The parser reads no JSX; the directions of the dashboard are the linter's (biome.json).
    exclude: { path: '/dist/|^packages/web/' },
    parser: 'swc',
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'import', 'node', 'default'],
      extensions: ['.ts', '.js', '.mjs', '.json'],
    },
  },
}

function rule(name, { from, to }) {
  return { name, severity: 'error', from, to }
}
