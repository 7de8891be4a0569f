export type StreamWaits = {
  /** A stream ends at most this long after its credential was revoked. */
  recheckMs: number
  /** After this, every node has received the announcement of a new listener. */
  settledMs: number
}

export const STREAM_WAITS: StreamWaits = { recheckMs: 5000, settledMs: 2000 }
