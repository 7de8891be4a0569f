import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onFileFinished } from './on-file-finished.ts'

/** Creates a folder for this test file and removes it afterwards. */
export async function temporaryDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'touchstone-run-'))
  onFileFinished(() => rm(dir, { recursive: true, force: true }))
  return dir
}
