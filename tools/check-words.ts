import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, extname } from 'node:path'
import { checkFile, type Repository } from './word-rules.ts'

/**
 * Enforces the rules for words: no home-made phrases, comments that name their subject, no broken
 * links and no section number without its document. Prints `file:line: message` for each finding.
 */

const EXTENSIONS = new Set(
  '.ts .tsx .mjs .js .py .sol .rs .sql .css .html .yaml .yml .toml .sh .md'.split(' '),
)

const EXCLUDED = [
  // Generated files: the sources they are generated from are checked instead.
  /^docs\/api\/openapi\.json$/,
  /^packages\/sdk\/src\/api\.ts$/,
  /^packages\/python\/src\/touchstone\/types\.py$/,
  /^contracts\/abi\//,
  /^packages\/server\/src\/chain\/contracts\.ts$/,
  // Data rather than text.
  /^vectors\//,
  /^bench\/results\//,
  // Immutable: every start compares the checksum of each applied migration, comments included, and
  // the compiler hashes the sources of the contracts, comments included, into their bytecode. New
  // migrations are checked.
  /^migrations\/00[0-6]\d_.*\.sql$/,
  /^contracts\/src\//,
  // The check itself, which has to contain the banned phrases.
  /^tools\/(banned-phrases|word-rules|check-words\.test)\.ts$/,
]

const files = listFiles()
const repository = repositoryOf(files)
const checked = files.filter(isChecked)
let count = 0
for (const path of checked) {
  for (const { line, message } of checkFile({ path, text: repository.read(path) }, repository)) {
    process.stdout.write(`${path}:${line}: ${message}\n`)
    count += 1
  }
}
process.stdout.write(`${checked.length} files checked, ${count} findings\n`)
process.exitCode = count === 0 ? 0 : 1

/** Tracked files and new ones that git does not ignore. */
function listFiles(): string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '-z']
  const { status, stdout, stderr } = spawnSync('git', args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`git ls-files failed: ${stderr}`)
  return stdout.split('\0').filter((path) => path !== '' && existsSync(path))
}

function isChecked(path: string): boolean {
  const isText = EXTENSIONS.has(extname(path)) || path === '.ci/run'
  return isText && !EXCLUDED.some((pattern) => pattern.test(path))
}

function repositoryOf(paths: string[]): Repository {
  const known = new Set(['.'])
  for (const path of paths) {
    for (let name = path; !known.has(name); name = dirname(name)) known.add(name)
  }
  return { exists: (path) => known.has(path), read: (path) => readFileSync(path, 'utf8') }
}
