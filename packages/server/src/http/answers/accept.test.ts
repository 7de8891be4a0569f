import { describe, expect, it } from 'vitest'
import { wantsYaml } from './accept.ts'

describe('wantsYaml', () => {
  it.each([
    'application/yaml',
    'text/yaml',
    'Application/X-YAML; charset=utf-8',
    'text/yaml, */*',
    'application/json;q=0.5, application/yaml',
    'application/yaml; q=0.8, application/json; q = 0.2',
    'text/html, application/yaml;q=0.9, */*;q=0.8',
    'application/json;q=0.1, application/yaml;q=0.5, */*',
  ])('is true for %s', (accept) => {
    expect(wantsYaml(accept)).toBe(true)
  })

  it.each([
    undefined,
    '',
    '*/*',
    'application/json',
    'application/yaml;q=0',
    'application/yaml;q=0, */*',
    'application/json, application/yaml;q=0.5',
    'application/yaml;q=0.5, */*;q=0.8',
    'application/yaml;q=much',
    'application/yaml-but-not-quite',
    'text/plain;about="application/yaml"',
  ])('is false for %s', (accept) => {
    expect(wantsYaml(accept)).toBe(false)
  })
})
