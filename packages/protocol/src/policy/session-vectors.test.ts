import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { compilePolicy } from './compile-policy.ts'
import { evaluatePolicy } from './evaluate-policy.ts'
import { policyOf } from './policy.fixture.ts'
import type { PolicyDocument } from './policy.ts'
import { resolvePolicy } from './resolve-policy.ts'
import { runPolicyTests } from './run-policy-tests.ts'

type Sparse = Partial<PolicyDocument>
type Vectors = {
  merge: { id: string; title: string; org: Sparse | null; agent: Sparse; expected: object }[]
  sessions: {
    id: string
    title: string
    policy: Sparse
    calls: { tool: string; args?: object; session?: string | null; at?: number; decision: string }[]
  }[]
}

const FILE = new URL('../../../../vectors/policy/session-rules.json', import.meta.url)
const VECTORS: Vectors = JSON.parse(readFileSync(FILE, 'utf8'))
const START_MS = Date.parse('2026-03-02T12:00:00Z')

describe('the approval of merged layers', () => {
  it.each(VECTORS.merge)('$id: $title', ({ org, agent, expected }) => {
    const layers = { org: org === null ? undefined : policyOf(org), agent: policyOf(agent) }
    const policy = resolvePolicy(layers)?.policy
    if (policy === undefined) throw new Error('no policy')
    const call = {
      tools: ['pay'],
      context: 'audit',
      nowMs: START_MS,
      firstSeenMs: new Map(),
    } as const
    const { violations } = evaluatePolicy(compilePolicy({ policy }), call)
    const found = violations.map(({ approval }) => {
      const { expiresMinutes: expires_minutes, ...rule } = approval ?? {}
      return { ...rule, expires_minutes }
    })
    expect(found).toEqual([expected])
  })
})

describe('the calls of a session', () => {
  it.each(VECTORS.sessions)('$id: $title', ({ policy, calls }) => {
    const defaults = { enforcement_mode: 'enforce', unmapped_tool_action: 'allow' }
    const outcome = runPolicyTests({
      policy: {
        meta: { schema_version: '1.1', name: 'vector', scope: 'agent' },
        ...policy,
        defaults: { ...defaults, ...policy.defaults },
      },
      cases: [
        {
          name: 'vector',
          calls: calls.map(({ at = 0, ...call }) => ({
            ...call,
            now: new Date(START_MS + at * 1000).toISOString(),
          })),
        },
      ],
    })
    expect(outcome).toMatchObject({ valid: true, results: [{ differences: [] }] })
  })
})
