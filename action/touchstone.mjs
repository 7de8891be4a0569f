// Runs the touchstone command from the repository this action belongs to. Installs and builds it on
// first use.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { assertNode, ensureInstalled, ROOT, runBin } from '../tools/setup.mjs'

assertNode()
ensureInstalled()
if (runBin('typescript', ['-b', 'packages/cli']) !== 0) process.exit(2)

// Runs in the caller's working directory, because file names are relative to it.
const cli = join(ROOT, 'packages/cli/bin/touchstone.mjs')
const { status } = spawnSync(process.execPath, [cli, ...process.argv.slice(2)], {
  stdio: 'inherit',
})
process.exitCode = status ?? 2
