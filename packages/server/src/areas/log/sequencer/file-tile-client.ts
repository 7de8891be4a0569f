import { link, mkdir, readFile, rm, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncDir, writeSynced } from '../../../durable-files.ts'
import { isCode } from '../../../system-error.ts'
import {
  assertSameTile,
  partialsOf,
  putInGroups,
  type TileFile,
  type TileStore,
} from './tile-store.ts'

/** Tiles as files below a folder, which a web server can serve as it is. */
export function createFileTileStore(folder: string): TileStore {
  const get = async (path: string): Promise<Uint8Array | undefined> => {
    try {
      return await readFile(join(folder, path))
    } catch (err) {
      if (isCode(err, 'ENOENT')) return undefined
      throw err
    }
  }

  const put = async (tile: TileFile): Promise<void> => {
    const file = join(folder, tile.path)
    await mkdir(dirname(file), { recursive: true })
    const partial = `${file}.${crypto.randomUUID()}.writing`
    await writeSynced(partial, tile.bytes, { flags: 'wx', mode: 0o644 })
    try {
      // Unlike a rename, a link does not replace a file that is there.
      await link(partial, file)
    } catch (err) {
      if (!isCode(err, 'EEXIST')) throw err
      assertSameTile(tile, await get(tile.path))
    } finally {
      await unlink(partial)
    }
    await syncDir(dirname(file))
  }

  return {
    get,

    putAll: (files) => putInGroups(files, put),

    async deletePartials(fullPath) {
      await rm(join(folder, partialsOf(fullPath)), { recursive: true, force: true })
    },
  }
}
