/** Server-sent events, as providers write them. */

export type Json = Record<string, unknown>

export const event = (data: Json & { type: string }): string =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
export const chunk = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`
