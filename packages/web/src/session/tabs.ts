/** News about the session that the tabs of a browser share. */
export type SessionNews = { type: 'signed-in'; userId: string } | { type: 'signed-out' }

const channel = new BroadcastChannel('touchstone.session')

export function tellOtherTabs(news: SessionNews): void {
  channel.postMessage(news)
}

export function onNewsOfOtherTabs(hear: (news: SessionNews) => void): void {
  channel.addEventListener('message', ({ data }: MessageEvent<SessionNews>) => hear(data))
}
