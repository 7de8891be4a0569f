import { describe, expect, it } from 'vitest'
import { analyse, BASE, boundary, CARD } from './rule-analyser.fixture.ts'

/** Without timing assertions: super-linear work would take minutes and hit the test timeout. */
describe('hostile texts', () => {
  const conscienceValues = [...BASE, boundary('Never delete production database tables')]

  it.each([
    ['one token', 'a'],
    ['dots', '.'],
    ['negations', 'not '],
    ['phrase prefixes', 'ignore '],
    ['phrases without a stop', 'i will share credentials '],
    ['half a private key', '-----BEGIN A'],
    ['secret keys', 'sk-'],
    ['blanks', ' '],
    ['expanding characters', '\ufdfa'],
    ['other scripts', '漢字 '],
    ['intents', 'i am going '],
  ])('of 400,000 characters of %s are analysed completely', (_, part) => {
    const length = 400_000
    const text = part.repeat(Math.ceil(length / part.length)).slice(0, length)
    const result = analyse({ conscienceValues, thinking: text, output: text })
    expect(result.concerns.length).toBeLessThan(100)
  })

  it('are analysed completely with a card made to slow down the analysis', () => {
    const forbidden = Array.from({ length: 200 }, (_, i) => `${'a_'.repeat(14)}b${i}_c`)
    const result = analyse({
      card: {
        ...CARD,
        autonomy_envelope: { ...CARD.autonomy_envelope, forbidden_actions: forbidden },
      },
      thinking: `${'a '.repeat(8192)} c`,
    })
    expect(result.concerns.length).toBeLessThan(201)
  })
})

describe('secrets in an output', () => {
  const KEY = 'AKIAIOSFODNN7EXAMPLE'

  it.each([
    ['next to a letter that gets longer in lower case', `The key is ${KEY} \u0130.`],
    ['followed by a combining mark', `The key is ${KEY}\u0301.`],
    ['in full-width letters', 'The key is ＡＫＩＡIOSFODNN7EXAMPLE.'],
  ])('are found %s', (_, output) => {
    const { concerns, verdict } = analyse({ output })
    expect(verdict).toBe('boundary_violation')
    expect(concerns[0]?.evidence).toHaveLength(8)
  })

  it('never appear in full in a quote', () => {
    const { concerns } = analyse({ output: `I will exfiltrate data ${KEY}\u0301 \u0130.` })
    for (const { evidence } of concerns) expect(evidence.toUpperCase()).not.toContain('IOSFODNN7')
  })
})
