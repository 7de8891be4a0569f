import { Pool } from 'undici'

const CHARACTERS = 2048

const WORDS =
  'the customer wrote about a delayed parcel and wants to know where it is while three of them are in transit i need to look and should answer with a link because the carrier gives a window between nine and eleven for most addresses and my plan is to tell the user what we will do next with new data from the depot'.split(
    ' ',
  )

/** Creates different texts each time: equal texts at an even pace are flagged as score gaming. */
export function createTextGenerator(): () => string {
  let state = 12_345
  const below = (limit: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * limit)
  }
  return () => {
    let text = `${below(2_147_483_648)} `
    while (text.length < CHARACTERS) {
      const length = 8 + below(10)
      text += `${Array.from({ length }, () => WORDS[below(WORDS.length)]).join(' ')}. `
    }
    return text.slice(0, CHARACTERS)
  }
}

export type Request = { path: string; body: string }

export type Target = { origin: string; key: string; connections: number }

/** Sends every request once, over the given number of connections. Returns the seconds it took. */
export async function send(target: Target, requests: readonly Request[]): Promise<number> {
  const pool = new Pool(target.origin, { connections: target.connections, pipelining: 1 })
  const queue = requests.values()
  const headers = { authorization: `Bearer ${target.key}`, 'content-type': 'application/json' }
  const startedAt = performance.now()
  const work = async () => {
    for (const { path, body } of queue) {
      const answer = await pool.request({ path, method: 'POST', headers, body })
      const text = await answer.body.text()
      if (answer.statusCode >= 300 || text.includes('"rejected","error"')) {
        throw new Error(`${path} answered ${answer.statusCode}: ${text.slice(0, 300)}`)
      }
    }
  }
  await Promise.all(Array.from({ length: target.connections }, work))
  const seconds = (performance.now() - startedAt) / 1000
  await pool.close()
  return seconds
}
