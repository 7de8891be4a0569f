import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { lint, loadConfig } from '@redocly/openapi-core'
import spectral, { type RulesetDefinition } from '@stoplight/spectral-core'
import rulesets from '@stoplight/spectral-rulesets'
import { describe, expect, it } from 'vitest'

const here = (path: string) => fileURLToPath(new URL(`../../docs/api/${path}`, import.meta.url))
const DOCUMENT = here('openapi.json')

describe('docs/api/openapi.json', () => {
  it('passes the recommended rules of Redocly', async () => {
    const config = await loadConfig({ configPath: here('redocly.yaml') })
    const problems = await lint({ ref: DOCUMENT, config })
    const findings = problems.filter(({ ignored }) => ignored !== true)
    expect(findings.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([])
    // An entry of the ignore file that no longer applies must be removed.
    expect(problems).toHaveLength(5)
  })

  it('passes the recommended rules of Spectral', async () => {
    const linter = new spectral.Spectral()
    // The type requires `extends`, which a ruleset with its own rules does not need.
    const oas = rulesets.oas as unknown as RulesetDefinition
    linter.setRuleset({ extends: [[oas, 'recommended']] })
    const findings = await linter.run(JSON.parse(readFileSync(DOCUMENT, 'utf8')))
    expect(findings.map(({ code, message, path }) => `${code}: ${message} ${path}`)).toEqual([])
  })
})
