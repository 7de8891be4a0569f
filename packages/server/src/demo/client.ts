/** The service as seen by the demo organisation's programs: its public API, at a chosen time. */
export type Client = {
  /** Throws on every error response. */
  // biome-ignore lint/suspicious/noExplicitAny: answers are documented by the API, not by types here
  call(method: 'GET' | 'POST' | 'PUT' | 'PATCH', path: string, body?: unknown): Promise<any>
  orgId: string
}

/** An action at a time of the story. */
export type Step = { at: Date; run(client: Client): Promise<void> }
