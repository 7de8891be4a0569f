import type { Json } from './events.fixture.ts'

const candidate = (parts: unknown[], finishReason?: string, index = 0) => ({
  candidates: [{ content: { parts, role: 'model' }, index, ...(finishReason && { finishReason }) }],
  usageMetadata: {
    promptTokenCount: 11,
    cachedContentTokenCount: 4,
    candidatesTokenCount: 5,
    thoughtsTokenCount: 7,
    totalTokenCount: 23,
  },
  modelVersion: 'gemini-2.5-pro',
  responseId: 'r-1',
})
const geminiCall = (name: string, args: Json, more: Json = {}) => ({
  functionCall: { name, args, ...more },
})

export const geminiResponses = {
  'thoughts, text and calls with a signature': [
    candidate([{ text: 'I should ', thought: true }]),
    candidate([{ text: 'look.', thought: true }]),
    candidate([{ text: 'Looking. ☀️' }]),
    candidate([
      { ...geminiCall('get_weather', { city: 'Zürich' }), thoughtSignature: 'CsUBAc' },
      geminiCall('delete_file', { path: '/x' }, { id: 'fn-2' }),
    ]),
    candidate([{ text: '' }], 'STOP'),
  ],
  'several candidates and code execution': [
    {
      ...candidate([]),
      candidates: [
        { index: 0, content: { role: 'model', parts: [{ text: 'A' }] } },
        { index: 1, content: { role: 'model', parts: [geminiCall('read', {})] } },
      ],
    },
    candidate([{ executableCode: { language: 'PYTHON', code: 'print(1)' } }], 'STOP'),
  ],
  'a call in fragments': [
    candidate([{ functionCall: { name: 'write', willContinue: true } }]),
    candidate([
      {
        functionCall: {
          partialArgs: [{ jsonPath: '$.text', stringValue: 'a "b', willContinue: true }],
          willContinue: true,
        },
      },
    ]),
    candidate([{ functionCall: {} }], 'STOP'),
  ],
  'an error': [
    candidate([{ text: 'Hm' }]),
    { error: { code: 503, message: 'Busy', status: 'UNAVAILABLE' } },
  ],
}
