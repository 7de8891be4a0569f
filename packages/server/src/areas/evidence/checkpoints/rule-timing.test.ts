import { describe, expect, it } from 'vitest'
import { BASE, boundary, CARD } from './rule-analyser.fixture.ts'
import { analyseByRules } from './rule-analyser.ts'

describe('the time it takes', () => {
  const timed = (thinking: string) => {
    const started = performance.now()
    analyseByRules({
      card: CARD,
      conscienceValues: [...BASE, boundary('Never delete production database tables')],
      thinking,
      output: thinking,
      actions: [],
      context: {},
      judge: () => 'quiet',
    })
    return performance.now() - started
  }

  it.each([
    ['one token', 'a'],
    ['dots', '.'],
    ['negations', 'not '],
    ['beginnings of a phrase', 'ignore '],
    ['phrases without a stop', 'i will share credentials '],
    ['half a private key', '-----BEGIN A'],
    ['secret keys', 'sk-'],
    ['blanks', ' '],
    ['expanding characters', '\ufdfa'],
    ['other scripts', '漢字 '],
    ['intents', 'i am going '],
  ])('grows with the length of 400,000 characters of %s, not faster', (_, part) => {
    const length = 400_000
    timed(part.repeat(1000))
    const took = timed(part.repeat(Math.ceil(length / part.length)).slice(0, length))
    // Far above what is needed; anything quadratic would take minutes.
    expect(took).toBeLessThan(8000)
  })

  it('does not explode with a card made to slow it down', () => {
    const forbidden = Array.from({ length: 200 }, (_, i) => `${'a_'.repeat(14)}b${i}_c`)
    const started = performance.now()
    analyseByRules({
      card: {
        ...CARD,
        autonomy_envelope: { ...CARD.autonomy_envelope, forbidden_actions: forbidden },
      },
      conscienceValues: BASE,
      thinking: `${'a '.repeat(8192)} c`,
      output: '',
      actions: [],
      context: {},
      judge: () => 'quiet',
    })
    expect(performance.now() - started).toBeLessThan(4000)
  })
})
