/** Values for what a reader would otherwise have to replace in a page. */
export type Filling = { slug: string; origin: string; agentId: string | undefined }

/** Addresses that stand for that of the service. */
const ADDRESSES = ['https://trust.example.com', 'http://localhost:8787', 'http://127.0.0.1:8787']

/** Puts the address of this service and the chosen agent into a command or piece of code. */
export function fill(code: string, { slug, origin, agentId }: Filling): string {
  const addressed = ADDRESSES.reduce((text, address) => text.replaceAll(address, origin), code)
  if (agentId === undefined) return addressed
  // Settings, which no shell expands, have HOST in place of $(hostname).
  return [`${slug}-$(hostname)`, `${slug}-HOST`].reduce(
    (text, name) => text.replaceAll(name, () => agentId),
    addressed,
  )
}

/** The variables that the command line and all SDKs read; the agent only if the key is for it. */
export function environmentOf(
  origin: string,
  made: { key: string; agentId: string | undefined } | undefined,
): string {
  const { key, agentId } = made ?? {}
  const lines = [`export TOUCHSTONE_URL='${origin}'`, `export TOUCHSTONE_API_KEY='${key ?? '…'}'`]
  return [
    ...lines,
    ...(agentId === undefined ? [] : [`export TOUCHSTONE_AGENT='${agentId}'`]),
  ].join('\n')
}
