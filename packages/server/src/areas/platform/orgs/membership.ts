import type { Role } from '../../../access.ts'

/** A membership, with the fields the rules below need. */
export type Seat = { userId: string; role: Role; roleSince: Date }

/** True if the organisation would have no owner without this person. */
export function isLastOwner(seats: readonly Seat[], userId: string): boolean {
  const owners = seats.filter((seat) => seat.role === 'owner')
  return owners.length === 1 && owners[0]?.userId === userId
}

/**
 * The current primary owner while they are an owner, otherwise the longest-serving owner
 * (spec: platform §4.1).
 */
export function primaryOwner(seats: readonly Seat[], current: string): string {
  const owners = seats
    .filter((seat) => seat.role === 'owner')
    .sort((a, b) => a.roleSince.getTime() - b.roleSince.getTime() || (a.userId < b.userId ? -1 : 1))
  return owners.some((seat) => seat.userId === current) ? current : (owners[0]?.userId ?? current)
}
