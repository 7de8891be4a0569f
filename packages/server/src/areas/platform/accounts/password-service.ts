import { hash, parseOptions, verify } from '@node-rs/argon2'

/**
 * argon2id, 19 MiB, two passes, one lane (spec: platform §2.4). Type and version are the library's
 * defaults.
 */
const COSTS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

/** Hash of a discarded random password, computed with the costs above. */
const DUMMY_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$Lq6iSMqhwTFhT4rXhdCQww$ySyBPU5y5zkRzWJbgRPHX1LzGaRooiHbRmFWVoBZROE'

export function hashPassword(password: string): Promise<string> {
  return hash(password, COSTS)
}

/**
 * Takes equally long when there is no account, so that the timing does not reveal which accounts
 * exist.
 */
export async function verifyPassword(
  stored: string | undefined,
  password: string,
): Promise<boolean> {
  const matches = await verify(stored ?? DUMMY_HASH, password)
  return stored !== undefined && matches
}

/** True when the hash was computed with lower costs than the current ones. */
export function needsRehash(stored: string): boolean {
  const options = parseOptions(stored)
  return (
    options.memoryCost < COSTS.memoryCost ||
    options.timeCost < COSTS.timeCost ||
    options.parallelism < COSTS.parallelism
  )
}
