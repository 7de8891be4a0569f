import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { resolveSchema, type Schema } from '#harness/openapi.ts'

type Content = Record<string, { schema?: Schema }>
type Operation = {
  operationId?: string
  summary?: string
  tags?: string[]
  requestBody?: { content: Content }
  responses: Record<string, { description: string; content?: Content }>
}
type Document = {
  paths: Record<string, Record<string, Operation>>
  servers: { url: string; description: string }[]
  tags: { name: string; description: string }[]
}

let t: TestApp
let document: Document
let operations: { name: string; operation: Operation }[]

beforeAll(async () => {
  t = await testApp({ env: { BASE_URL: 'https://touchstone.example' } })
  document = t.app.openapi() as Document
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  )
})

/** The JSON responses with a status in this range, and their operation. */
function answers(from: number, to: number): { place: string; schema: Schema | undefined }[] {
  return operations.flatMap(({ name, operation }) =>
    Object.entries(operation.responses)
      .filter(([status]) => Number(status) >= from && Number(status) < to)
      .filter(([, { content }]) => content?.['application/json'] !== undefined)
      .map(([status, { content }]) => ({
        place: `${name} ${status}`,
        schema: content?.['application/json']?.schema,
      })),
  )
}

describe('the OpenAPI document', () => {
  it('gives every operation a unique id that is a valid function name', () => {
    const ids = operations.map(({ name, operation }) => {
      expect(operation.operationId, name).toMatch(/^[a-z]+([A-Z][a-z]+)+$|^sign(In|Up|Out)$/)
      return operation.operationId
    })
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('describes every tag that operations use, and no other', () => {
    const described = document.tags.map(({ name, description }) => {
      expect(description, name).not.toBe('')
      return name
    })
    const used = operations.flatMap(({ operation }) => operation.tags ?? [])
    expect([...described].sort()).toEqual([...new Set(used)].sort())
  })

  it('names the schema of every body and of every response that is an object', () => {
    const bodies = operations.map(({ name, operation }) => ({
      place: `${name} body`,
      schema: operation.requestBody?.content['application/json']?.schema,
    }))
    for (const { place, schema } of [...bodies, ...answers(200, 300)]) {
      if (schema === undefined) continue
      const choices = (schema['anyOf'] ?? [schema]) as Schema[]
      for (const choice of choices.filter((one) => one['type'] !== 'null')) {
        expect(choice['$ref'], place).toMatch(/^#\/components\/schemas\/[A-Z]\w+$/)
        expect(resolveSchema(document, choice), place).not.toBe(choice)
      }
    }
  })

  it('refers to a named problem schema in every error response', () => {
    const problems = ['Problem', 'TextProblem', 'RpcProblem']
    // Containment errors also carry the decision; an unready service returns the readiness object.
    const others = ['ContainmentProblem', 'ContainedDecision', 'Readiness']
    const named = answers(400, 600).map(({ schema }) => String(schema?.['$ref']).split('/').at(-1))
    expect([...new Set(named)].sort()).toEqual([...problems, ...others].sort())
  })

  it('describes every response', () => {
    for (const { name, operation } of operations) {
      for (const [status, { description }] of Object.entries(operation.responses)) {
        expect(description, `${name} ${status}`).toMatch(/^[A-Z].{4,}/)
        expect(['Default Response', 'Success'], `${name} ${status}`).not.toContain(description)
      }
    }
  })

  it('defines the types that client authors look for', () => {
    const schemas = Object.keys(
      (document as unknown as { components: { schemas: object } }).components.schemas,
    )
    expect(schemas).toEqual(
      expect.arrayContaining([
        'Agent',
        'AgentCard',
        'Policy',
        'Decision',
        'Checkpoint',
        'Certificate',
        'Team',
        'ReputationScore',
        'RiskAssessment',
        'Webhook',
        'Escalation',
        'Problem',
        'Verdict',
        'EnforcementMode',
        'Severity',
        'Grade',
      ]),
    )
  })

  it("points clients to this service's base URL", () => {
    const { servers } = document
    expect(servers).toEqual([{ url: 'https://touchstone.example', description: 'This service' }])
  })
})
