import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onFileFinished } from './on-file-finished.ts'

/** Creates a folder for this test file and removes it afterwards. */
export async function temporaryDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'touchstone-run-'))
  // A service whose parent was killed may still be writing its compiled code while it exits.
  const removal = { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }
  onFileFinished(() => rm(dir, removal))
  return dir
}
