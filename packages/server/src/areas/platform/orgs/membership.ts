import type { Role } from '../../../access.ts'

/** One seat in an organisation, as the rules below need it. */
export type Seat = { userId: string; role: Role; roleSince: Date }

/** True when taking this seat's ownership away would leave the organisation without an owner. */
export function isLastOwner(seats: readonly Seat[], userId: string): boolean {
  const owners = seats.filter((seat) => seat.role === 'owner')
  return owners.length === 1 && owners[0]?.userId === userId
}

/** The primary owner stays while an owner; else the longest-serving owner follows (04 §4.1). */
export function primaryOwner(seats: readonly Seat[], current: string): string {
  const owners = seats
    .filter((seat) => seat.role === 'owner')
    .sort((a, b) => a.roleSince.getTime() - b.roleSince.getTime() || (a.userId < b.userId ? -1 : 1))
  return owners.some((seat) => seat.userId === current) ? current : (owners[0]?.userId ?? current)
}
