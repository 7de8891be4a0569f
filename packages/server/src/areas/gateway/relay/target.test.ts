import { describe, expect, it } from 'vitest'
import { loggedPath, routeOf, splitTarget } from './target.ts'

const TOKEN = 'tgw_0123456789ABCDEFGHIJKLMNOPQRSTUV012345'

describe('splitTarget', () => {
  it('reads the token from the path, if it is there', () => {
    expect(splitTarget(`/llm/${TOKEN}/anthropic/v1/messages?beta=true`)).toEqual({
      token: TOKEN,
      provider: 'anthropic',
      path: 'v1/messages',
      query: 'beta=true',
    })
    expect(splitTarget('/llm/gemini/v1beta/models')).toEqual({
      token: undefined,
      provider: 'gemini',
      path: 'v1beta/models',
      query: undefined,
    })
    expect(splitTarget(`/llm/${TOKEN}/mistral/v1`).provider).toBeUndefined()
  })
})

describe('loggedPath', () => {
  it('never shows a token or a query', () => {
    const logged = (url: string) => loggedPath(splitTarget(url))
    expect(logged(`/llm/${TOKEN}/openai/v1/models?key=1`)).toBe('/llm/[token]/openai/v1/models')
    expect(logged(`/llm/openai/v1/${TOKEN}/${TOKEN}`)).toBe('/llm/openai/v1/[token]/[token]')
    expect(logged(`/llm/${TOKEN}/${TOKEN}`)).toBe('/llm/[token]/')
  })
})

describe('routeOf', () => {
  it.each([
    ['anthropic', 'v1/messages', 'anthropic'],
    ['openai', 'v1/chat/completions', 'openai-chat'],
    ['openai_compatible', 'v1/responses', 'openai-responses'],
    ['gemini', 'v1beta/models/gemini-2.5-pro:generateContent', 'gemini'],
    ['gemini', 'v1/models/g:streamGenerateContent', 'gemini'],
    ['gemini', 'v1beta/openai/chat/completions', 'openai-chat'],
  ] as const)('governs POST of %s %s', (provider, path, wire) => {
    expect(routeOf(provider, 'POST', path)).toEqual({ kind: 'governed', wire })
    expect(routeOf(provider, 'GET', path)).toMatchObject({ kind: 'unread', canCarryCalls: true })
  })

  it.each([
    ['gemini', 'v1beta/models/m%3AgenerateContent'],
    ['gemini', 'v1beta/Models/m:GENERATECONTENT'],
    ['openai', 'v1/chat/completions/'],
    ['openai', 'v1/chat%2Fcompletions'],
    ['openai', 'v1/%72esponses'],
  ] as const)('refuses the disguise %s %s', (provider, path) => {
    expect(routeOf(provider, 'POST', path)).toEqual({ kind: 'malformed' })
  })

  it.each([
    ['openai', 'chat/completions'],
    ['openai', 'responses'],
    ['openai', 'v2/chat/completions'],
    ['openai_compatible', 'api/chat'],
    ['openai_compatible', 'v1/messages'],
    ['openai_compatible', 'openai/deployments/gpt/Chat/Completions/'],
    ['anthropic', 'messages'],
    ['anthropic', 'v1/chat/completions'],
    ['gemini', 'models/gemini-2.5-pro:generateContent'],
  ] as const)('refuses %s %s, where a lenient server could answer as a model', (provider, path) => {
    expect(routeOf(provider, 'POST', path)).toEqual({ kind: 'misplaced' })
  })

  it.each([
    ['openai', 'v1/threads/thread_1/messages'],
    ['anthropic', 'v1/messages/batches'],
    ['openai', 'v1/responses/resp_1/cancel'],
  ] as const)('passes on %s %s, which has no turn of a model', (provider, path) => {
    expect(routeOf(provider, 'POST', path)).toMatchObject({ kind: 'unread' })
  })

  it('passes encoded names of models and files', () => {
    expect(routeOf('openai', 'GET', 'v1/models/ft%3Agpt')).toEqual({
      kind: 'unread',
      canCarryCalls: false,
    })
  })
})
