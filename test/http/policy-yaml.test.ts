import { readFileSync } from 'node:fs'
import { validatePolicy } from '@touchstone/protocol/policy'
import { describe, expect, it } from 'vitest'
import { parseStrictYaml } from '../../packages/server/src/http/body/strict-yaml.ts'

type Vectors = {
  validation_yaml_on_agent_path: {
    id: string
    title: string
    text: string
    expected: { status: number }
  }[]
}
const file = new URL('../../vectors/policy/policy.json', import.meta.url)
const vectors: Vectors = JSON.parse(readFileSync(file, 'utf8'))

describe('a policy in YAML', () => {
  it.each(vectors.validation_yaml_on_agent_path)('$id: $title', ({ text, expected }) => {
    expect(statusOf(text)).toBe(expected.status)
  })

  it('accepts an unquoted version number', () => {
    const text = 'meta: {schema_version: 1.0, name: p, scope: agent}'
    expect(statusOf(text)).toBe(400)
    expect(statusOf(text.replace('1.0', '"1.0"'))).toBe(200)
  })
})

function statusOf(text: string): number {
  const read = parseStrictYaml(Buffer.from(text))
  if (!read.ok) return 400
  const outcome = validatePolicy(read.value, { scope: 'agent' })
  if (outcome.valid) return 200
  return outcome.problem === 'invalid_request' ? 400 : 422
}
