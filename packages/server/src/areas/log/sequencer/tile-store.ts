/** A tile, or a bundle of entries, at its path below the URL of the log. */
export type TileFile = { path: string; bytes: Uint8Array }

/** Where tiles are kept. A tile never changes: storing it again is allowed only with the same bytes. */
export type TileStore = {
  get(path: string): Promise<Uint8Array | undefined>
  /** Resolves once all are durable. Throws a TileConflict if one is stored with other bytes. */
  putAll(files: readonly TileFile[]): Promise<void>
  /** Deletes the partial tiles that a full one replaces. */
  deletePartials(fullPath: string): Promise<void>
}

/** The folder of the partial tiles of a full one. */
export function partialsOf(fullPath: string): string {
  return `${fullPath}.p/`
}

export class TileConflict extends Error {
  constructor(path: string) {
    super(`${path} is stored with other bytes`)
    this.name = 'TileConflict'
  }
}

export function assertSameTile({ path, bytes }: TileFile, stored: Uint8Array | undefined): void {
  if (stored === undefined || Buffer.compare(bytes, stored) !== 0) throw new TileConflict(path)
}

/** Files that are stored at the same time. */
const CONCURRENT_MAX = 16

/** Stores files one group after the other. */
export async function putInGroups(
  files: readonly TileFile[],
  put: (file: TileFile) => Promise<void>,
): Promise<void> {
  for (let at = 0; at < files.length; at += CONCURRENT_MAX) {
    await Promise.all(files.slice(at, at + CONCURRENT_MAX).map(put))
  }
}
