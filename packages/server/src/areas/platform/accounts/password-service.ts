import { hash, parseOptions, verify } from '@node-rs/argon2'

/** 04 §2.4: argon2id, 19 MiB, two passes, one lane. The type and version are the library's own. */
const COSTS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

/** Of a random password nobody knows, made with the costs above. */
const NOBODYS_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$Lq6iSMqhwTFhT4rXhdCQww$ySyBPU5y5zkRzWJbgRPHX1LzGaRooiHbRmFWVoBZROE'

export function hashPassword(password: string): Promise<string> {
  return hash(password, COSTS)
}

/** Takes as long for an account that does not exist, so that time tells nothing. */
export async function verifyPassword(
  stored: string | undefined,
  password: string,
): Promise<boolean> {
  const matches = await verify(stored ?? NOBODYS_HASH, password)
  return stored !== undefined && matches
}

/** True when the costs have risen since this hash was made. */
export function needsRehash(stored: string): boolean {
  const made = parseOptions(stored)
  return (
    made.memoryCost < COSTS.memoryCost ||
    made.timeCost < COSTS.timeCost ||
    made.parallelism < COSTS.parallelism
  )
}
