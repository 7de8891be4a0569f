import { beforeAll, describe, expect, it } from 'vitest'
import { textOf, VIOLATION } from '#harness/checkpoints.ts'
import { type PlannedProvider, startPlannedProvider } from '#harness/mock-provider.ts'
import { sendMessage, startModelGateway } from '#harness/model-gateway.ts'
import { type ModelBehaviour, type ModelServer, startModelServer } from '#harness/model-server.ts'

type Gateway = Awaited<ReturnType<typeof startModelGateway>>

const POLICIES = ['fail_open', 'fail_closed', 'rules'] as const

const CLEAR = {
  verdict: 'clear',
  concerns: [],
  reasoning_summary: 'All is well.',
  conscience_context: { supports: [], considerations: [] },
}
const FOUND = {
  ...CLEAR,
  verdict: 'boundary_violation',
  concerns: [
    {
      category: 'autonomy_violation',
      severity: 'critical',
      description: 'It plans what its card forbids.',
      evidence: 'The plan.',
      relevant_card_field: 'autonomy_envelope.forbidden_actions',
      relevant_conscience_value: null,
    },
  ],
}

let judge: ModelServer
let provider: PlannedProvider
/** Makes the agents; the others have the same database. */
let first: Gateway
/** By failure policy and time limit. */
const services = new Map<string, string>()

/** No analysis that answers takes this long, and one that does not answer takes longer than the other. */
const LIMITS = { patient: '60000', hasty: '300' }

beforeAll(async () => {
  judge = await startModelServer()
  provider = await startPlannedProvider()
  first = await startModelGateway(provider.url)
  for (const policy of POLICIES) {
    for (const [limit, ms] of Object.entries(LIMITS)) {
      const { service } = await startModelGateway(provider.url, {
        databaseUrl: first.t.databaseUrl,
        env: {
          ANALYZER: 'llm',
          MODEL_PROVIDER: 'openai',
          MODEL_URL: judge.url,
          MODEL_NAME: 'judge-1',
          ANALYSIS_FAILURE_POLICY: policy,
          ANALYSIS_HOLD_MS: ms,
        },
      })
      services.set(`${policy} ${limit}`, service)
    }
  }
})

const search = { tool: 'search', input: { q: 'a' }, id: 'call_search' }

type Row = {
  analysis: string
  behaviour: ModelBehaviour
  said?: string
  policy: (typeof POLICIES)[number]
  mode?: 'nudge' | 'observe'
  connection?: object
  released: boolean
}

const hang = { hang: true } as const
const fails = { status: 401 } as const

/** Analyses of the thinking of a turn, and whether a call that waits for them is released. */
const ROWS: Row[] = [
  { analysis: 'is clear', behaviour: { reply: CLEAR }, policy: 'fail_closed', released: true },
  { analysis: 'is a violation', behaviour: { reply: FOUND }, policy: 'fail_open', released: false },
  { analysis: 'takes too long', behaviour: hang, policy: 'fail_open', released: true },
  { analysis: 'takes too long', behaviour: hang, policy: 'fail_closed', released: false },
  { analysis: 'takes too long', behaviour: hang, policy: 'rules', released: true },
  {
    analysis: 'takes too long, and the rules find a violation',
    behaviour: hang,
    said: VIOLATION,
    policy: 'rules',
    released: false,
  },
  { analysis: 'fails', behaviour: fails, policy: 'fail_open', released: true },
  { analysis: 'fails', behaviour: fails, policy: 'fail_closed', released: false },
  { analysis: 'fails', behaviour: fails, policy: 'rules', released: true },
  {
    analysis: 'fails, and the rules find a violation',
    behaviour: fails,
    said: VIOLATION,
    policy: 'rules',
    released: false,
  },
  // It is no failure of the gateway, so the choice of the connection does not matter.
  {
    analysis: 'takes too long',
    behaviour: hang,
    policy: 'fail_closed',
    connection: { on_error: 'fail_open' },
    released: false,
  },
  // Only an agent in mode enforce, behind a connection that enforces, waits for an analysis.
  {
    analysis: 'is not awaited',
    behaviour: hang,
    policy: 'fail_closed',
    mode: 'nudge',
    released: true,
  },
  {
    analysis: 'is not awaited',
    behaviour: hang,
    policy: 'fail_closed',
    mode: 'observe',
    released: true,
  },
  {
    analysis: 'is not awaited',
    behaviour: hang,
    policy: 'fail_closed',
    connection: { mode: 'observe' },
    released: true,
  },
]

const named = ROWS.flatMap((row) =>
  [true, false].map((stream) => ({ mode: 'enforce', connection: {}, ...row, stream })),
)

describe('an analysis before a call is released', () => {
  it.each(named)(
    '$analysis ($policy, mode $mode, connection $connection, stream $stream)',
    async ({ behaviour, said, policy, mode, connection, released, stream }) => {
      const { agentId, baseUrl } = await first.newAgent({ mode, connection })
      const service = services.get(`${policy} ${'hang' in behaviour ? 'hasty' : 'patient'}`)
      judge.plan(behaviour)
      provider.plan({ parts: [{ thinking: textOf(1, said) }, search] })
      const { status, text } = await sendMessage(`${service}${new URL(baseUrl).pathname}`, {
        stream,
      })
      expect(status).toBe(200)
      expect(text.includes('call_search')).toBe(released)
      expect(text.includes('Touchstone blocked search')).toBe(!released)
      await expect
        .poll(() => first.decisionsOf(agentId))
        .toMatchObject([
          released
            ? { decision: 'allow' }
            : { decision: 'block', reasons: [{ code: 'integrity_hold' }] },
        ])
    },
  )
})
