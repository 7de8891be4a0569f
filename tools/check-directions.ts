import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { cruise, type ICruiseResult } from 'dependency-cruiser'
import extractConfig from 'dependency-cruiser/config-utl/extract-depcruise-config'

/**
 * Holds the directions of CONTRIBUTING.md. A cruiser that cannot read TypeScript sees no modules
 * and finds no fault, so the number it saw is compared with the number of files there are.
 */
const CONFIG = './.dependency-cruiser.mjs'

const options = await extractConfig(CONFIG)
const { output } = await cruise(['packages'], {
  ...options.options,
  ruleSet: options,
  validate: true,
})
const result = output as ICruiseResult
for (const violation of result.summary.violations) {
  process.stdout.write(`${violation.rule.name}: ${violation.from} → ${violation.to}\n`)
}

const seen = result.modules.filter((module) => /^packages\/.*\/src\/.*\.ts$/.test(module.source))
const there = sources('packages')
process.stdout.write(`${seen.length} modules seen, ${there} files there\n`)
if (seen.length < there) process.stdout.write('The cruiser did not see every file.\n')
process.exitCode = result.summary.error > 0 || seen.length < there ? 1 : 0

function sources(dir: string): number {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter(
    (name) =>
      /(^|\/)src\/.*\.ts$/.test(join(dir, name)) &&
      !/(^|\/)(dist|node_modules)\/|^web\//.test(name),
  ).length
}
