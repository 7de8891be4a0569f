import { fetchPolicy } from './fetch-evidence.ts'
import { type PublicLog, tileReader } from './log-history.ts'

/** The public log of this service. */
export function servedLog(): PublicLog {
  return {
    async checkpoint() {
      const bytes = await get('checkpoint')
      if (bytes === undefined) throw new Error('The log has published no checkpoint yet.')
      return new TextDecoder().decode(bytes)
    },
    policy: fetchPolicy,
    tile: tileReader(get),
  }
}

/** Undefined for a file that the log does not have. */
async function get(path: string): Promise<Uint8Array | undefined> {
  const answer = await fetch(`/log/${path}`)
  if (answer.status === 404) return undefined
  if (!answer.ok) throw new Error(`The log answers ${answer.status} for ${path}.`)
  return new Uint8Array(await answer.arrayBuffer())
}
