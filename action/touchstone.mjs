// The command line, from the repository that this action is part of: installed and built when it is
// used for the first time.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { assertNode, ensureInstalled, ROOT, runBin } from '../tools/setup.mjs'

assertNode()
ensureInstalled()
if (runBin('typescript', ['-b', 'packages/cli']) !== 0) process.exit(2)

// In the folder of whoever calls: the names of their files are relative to it.
const cli = join(ROOT, 'packages/cli/bin/touchstone.mjs')
const { status } = spawnSync(process.execPath, [cli, ...process.argv.slice(2)], {
  stdio: 'inherit',
})
process.exitCode = status ?? 2
