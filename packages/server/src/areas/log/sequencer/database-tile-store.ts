import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import { rowsOf } from '../../../postgres/rows.ts'
import { assertSameTile, partialsOf, type TileStore } from './tile-store.ts'

const COLUMNS = { path: 'text', start: 'integer', length: 'integer' }

/** Tiles in the database, which is the default. */
export function createDatabaseTileStore(db: Db): TileStore {
  const get = async (path: string): Promise<Uint8Array | undefined> => {
    const found = await sql<{ tile: Buffer }>`
      select tile from log_tile where path = ${path}`.execute(db)
    return found.rows[0]?.tile
  }
  return {
    get,

    async putAll(files) {
      let start = 1
      const rows = files.map(({ path, bytes: { length } }) => {
        const row = { path, start, length }
        start += length
        return row
      })
      // One value, because arrays of bytes are sent as text.
      const bytes = Buffer.concat(files.map((file) => file.bytes))
      const added = await sql<{ path: string }>`
        insert into log_tile (path, tile)
        select path, substring(${bytes}::bytea from start for length)
        from ${rowsOf(COLUMNS, rows)} as r
        on conflict do nothing returning path`.execute(db)
      if (added.rows.length === files.length) return
      const isAdded = new Set(added.rows.map(({ path }) => path))
      for (const file of files) {
        if (!isAdded.has(file.path)) assertSameTile(file, await get(file.path))
      }
    },

    async deletePartials(fullPath) {
      const from = partialsOf(fullPath)
      // The path is ASCII, and the column compares bytes.
      await sql`delete from log_tile
        where path >= ${from} and path < ${`${from}~`}`.execute(db)
    },
  }
}
