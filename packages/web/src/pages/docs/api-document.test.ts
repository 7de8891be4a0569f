import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { type ApiDocument, endpointsOf, limitsOf, typeOf } from './api-document.ts'

const file = new URL('../../../../../docs/api/openapi.json', import.meta.url)
const document: ApiDocument = JSON.parse(await readFile(file, 'utf8'))

describe('endpointsOf', () => {
  it('puts every operation under exactly one tag that is described', () => {
    const ids = document.tags.flatMap(({ name }) =>
      endpointsOf(document, name).map(({ operation }) => operation.operationId),
    )
    const all = Object.values(document.paths).flatMap((methods) => Object.values(methods))
    expect(ids.sort()).toEqual(all.map(({ operationId }) => operationId).sort())
  })
})

describe('typeOf', () => {
  it.each([
    [{ $ref: '#/components/schemas/Decision' }, 'Decision'],
    [{ type: 'array', items: { $ref: '#/components/schemas/Agent' } }, 'array of Agent'],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'string or null'],
    [{ const: 'Bearer', type: 'string' }, '"Bearer"'],
    [{}, 'any value'],
  ])('describes %j', (schema, text) => {
    expect(typeOf(schema)).toBe(text)
  })
})

describe('limitsOf', () => {
  it.each([
    [{ minLength: 1, maxLength: 255 }, ['1 to 255 characters']],
    [{ minimum: 0 }, ['at least 0']],
    [{ maxItems: 100 }, ['at most 100 items']],
    [{ enum: ['allow', 'block'], default: 'allow' }, ['allow, block', 'default "allow"']],
    [{ type: 'string', format: 'date-time' }, ['date-time']],
    [{ anyOf: [{ type: 'string', maxLength: 40 }, { type: 'null' }] }, ['at most 40 characters']],
    [
      { type: 'array', maxItems: 5, items: { type: 'string', minLength: 1, maxLength: 9 } },
      ['at most 5 items', 'each 1 to 9 characters'],
    ],
  ])('describes %j', (schema, limits) => {
    expect(limitsOf(schema)).toEqual(limits)
  })
})
