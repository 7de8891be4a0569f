import type { Db } from '../../../kernel/db.ts'
import type { Lifecycle } from '../../../lifecycle-phases.ts'
import type { LogStoreSettings } from '../../../log-config.ts'
import { createDatabaseTileStore } from './database-tile-store.ts'
import { createFileTileStore } from './file-tile-client.ts'
import { createS3TileStore } from './s3-tile-client.ts'
import { createSequencerService, type SequencerDeps } from './service.ts'
import type { TileStore } from './tile-store.ts'

/** The place that LOG_STORE names. */
export function createTileStore(db: Db, settings: LogStoreSettings): TileStore {
  switch (settings.kind) {
    case 'file':
      return createFileTileStore(settings.folder)
    case 's3':
      return createS3TileStore(settings)
    default:
      return createDatabaseTileStore(db)
  }
}

export function createSequencerFeature(deps: SequencerDeps, lifecycle: Lifecycle) {
  const service = createSequencerService(deps)
  lifecycle.add({
    name: 'log/sequencer',
    hooks: { warm: service.prepare, serve: service.start, drain: service.stop },
    purges: [{ name: 'checkpoints of the log', run: service.purge }],
  })
  return { service }
}
