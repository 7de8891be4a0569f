import { Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import { hoistSchemas } from './components.ts'
import { NamedEnum, NamedObject } from './named.ts'

const info = { title: 'An API' }
const Grade = NamedEnum('Grade', ['A', 'B'])
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

function hoist(paths: object) {
  const document = { info, components: { securitySchemes: { key: {} } }, paths }
  return JSON.parse(JSON.stringify(hoistSchemas(document)))
}

describe('hoistSchemas', () => {
  it('moves each schema once, including nested ones, and keeps other components', () => {
    const Score = NamedObject('Score', { grade: Grade, last: Type.Array(Grade) })
    const { paths, components } = hoist({ a: Score, b: Type.Union([Score, Type.Null()]) })
    expect(paths).toEqual({ a: ref('Score'), b: { anyOf: [ref('Score'), { type: 'null' }] } })
    expect(components).toEqual({
      securitySchemes: { key: {} },
      schemas: {
        Grade: { enum: ['A', 'B'] },
        Score: {
          type: 'object',
          required: ['grade', 'last'],
          properties: { grade: ref('Grade'), last: { type: 'array', items: ref('Grade') } },
        },
      },
    })
  })

  it('keeps the description and the default of an enum at its uses', () => {
    const used = NamedEnum('Grade', ['A', 'B'], { description: 'the lowest', default: 'B' })
    const { paths, components } = hoist({ a: Grade, b: used })
    expect(paths.b).toEqual({ ...ref('Grade'), description: 'the lowest', default: 'B' })
    expect(components.schemas).toEqual({ Grade: { enum: ['A', 'B'] } })
  })

  it('throws if two different schemas have the same name', () => {
    const other = NamedObject('Grade', { letter: Type.String() })
    expect(() => hoist({ a: Grade, b: other })).toThrow('two different schemas are named Grade')
  })

  it('ignores fields named title and the title of the API', () => {
    const { paths, info: kept } = hoist({ a: Type.Object({ title: Type.String() }) })
    expect(paths.a.properties).toEqual({ title: { type: 'string' } })
    expect(kept).toEqual(info)
  })
})
