/**
 * Releases are told apart by major and minor version. Nodes of a release and of the one before it can
 * work on one database, because migrations only expand what the release before needs; see
 * CONTRIBUTING.md.
 */
export type Release = { major: number; minor: number }

const VERSION = /^(\d+)\.(\d+)(?:\.|$)/

/** Undefined if the text is not a version. */
export function parseRelease(version: string): Release | undefined {
  const [, major, minor] = VERSION.exec(version) ?? []
  return major === undefined ? undefined : { major: Number(major), minor: Number(minor) }
}

/** True for the same release, and for neighbours: 1.0 follows whichever was the last of 0. */
export function worksBeside(one: Release, other: Release): boolean {
  const [older, newer] = isOlder(one, other) ? [one, other] : [other, one]
  if (newer.major === older.major) return newer.minor - older.minor <= 1
  return newer.major - older.major === 1 && newer.minor === 0
}

export function isOlder(one: Release, than: Release): boolean {
  return one.major === than.major ? one.minor < than.minor : one.major < than.major
}

/** `touchstone ROLE HOST PID VERSION`: how nodes name their sessions. */
const SESSION_NAME = /^touchstone (?:all|api|worker|gateway) \S+ \d+ (\S+)$/

/** The version of the node that this session belongs to, if it is one. */
export function versionOfSession(applicationName: string): string | undefined {
  return SESSION_NAME.exec(applicationName)?.[1]
}
