/** What the tabs of a browser tell each other about the session that they share. */
export type SessionNews = { type: 'signed-in'; userId: string } | { type: 'signed-out' }

const channel = new BroadcastChannel('touchstone.session')

export function tellOtherTabs(news: SessionNews): void {
  channel.postMessage(news)
}

export function onNewsOfOtherTabs(hear: (news: SessionNews) => void): void {
  channel.addEventListener('message', ({ data }: MessageEvent<SessionNews>) => hear(data))
}
