/** A message about the session between the tabs of a browser. */
export type SessionMessage = { type: 'signed-in'; userId: string } | { type: 'signed-out' }

const channel = new BroadcastChannel('touchstone.session')

export function broadcast(message: SessionMessage): void {
  channel.postMessage(message)
}

/** Listens to the other tabs; a tab does not receive its own messages. */
export function onBroadcast(listener: (message: SessionMessage) => void): void {
  channel.addEventListener('message', ({ data }: MessageEvent<SessionMessage>) => listener(data))
}
