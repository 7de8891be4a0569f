/** The service as the demo organisation's own programs see it: its public API, at a time of choice. */
export type Client = {
  /** Throws for every answer that is a refusal. */
  // biome-ignore lint/suspicious/noExplicitAny: answers are documented by the API, not by types here
  call(method: 'GET' | 'POST' | 'PUT' | 'PATCH', path: string, body?: unknown): Promise<any>
  orgId: string
}

/** Something that happens at a time of the story. */
export type Step = { at: Date; run(client: Client): Promise<void> }
