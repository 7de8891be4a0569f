/**
 * The embedded server's settings. It serves one small service on one machine; larger
 * installations set DATABASE_URL. fsync and full_page_writes stay on, PostgreSQL's defaults.
 */
const SETTINGS: Record<string, string> = {
  listen_addresses: '127.0.0.1',
  // A socket file would need a folder with a short path that both users can enter.
  unix_socket_directories: '',
  max_connections: '60',
  // With the default of 128 MB an idle service passes 300 MB resident.
  shared_buffers: '64MB',
  jit: 'off',
  // No replicas and no archive, so less is written.
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '512MB',
  // Parallel plans need shared memory that containers (64 MB of /dev/shm) often lack.
  max_parallel_workers_per_gather: '0',
  max_parallel_maintenance_workers: '0',
  timezone: 'UTC',
  log_timezone: 'UTC',
  lc_messages: 'C',
  log_checkpoints: 'off',
  // Failed statements contain users' data and stay out of the log.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
}

/** From PostgreSQL 18 on: its three reader processes bring no gain at this size. */
const SETTINGS_18: Record<string, string> = { io_method: 'sync' }

export function serverArguments(options: {
  dataDir: string
  port: number
  major: number
  settings: Record<string, string>
}): string[] {
  const all = {
    ...SETTINGS,
    ...(options.major >= 18 ? SETTINGS_18 : {}),
    ...options.settings,
    port: String(options.port),
  }
  const pairs = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return ['-D', options.dataDir, ...pairs]
}
