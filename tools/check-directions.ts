import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { cruise, type ICruiseResult } from 'dependency-cruiser'
import extractConfig from 'dependency-cruiser/config-utl/extract-depcruise-config'

/**
 * Enforces the directions of imports (.dependency-cruiser.mjs) and the size of the kernel. A cruiser
 * that cannot read TypeScript would see no modules and report no violation, so the number of modules
 * it saw is compared with the number of files.
 */
const CONFIG = './.dependency-cruiser.mjs'
const KERNEL = 'packages/server/src/kernel'
/** Every area knows the kernel, so it must stay small enough to be known. */
const KERNEL_FILES_MAX = 12

const options = await extractConfig(CONFIG)
const { output } = await cruise(['packages'], {
  ...options.options,
  ruleSet: options,
  validate: true,
})
// The output is text only if a reporter is configured.
const result = output as ICruiseResult
for (const violation of result.summary.violations) {
  process.stdout.write(`${violation.rule.name}: ${violation.from} → ${violation.to}\n`)
}

const seen = result.modules.filter((module) => /^packages\/.*\/src\/.*\.ts$/.test(module.source))
const fileCount = countSources('packages')
process.stdout.write(`${seen.length} modules checked, ${fileCount} source files\n`)
if (seen.length < fileCount) process.stdout.write('The cruiser did not read every file.\n')
const kernelFileCount = readdirSync(KERNEL, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.ts') && !/\.(test|fixture)\.ts$/.test(name),
).length
const isKernelSmall = kernelFileCount <= KERNEL_FILES_MAX
if (!isKernelSmall) {
  process.stdout.write(`${KERNEL} has ${kernelFileCount} files, more than ${KERNEL_FILES_MAX}.\n`)
}
const isGood = result.summary.error === 0 && seen.length >= fileCount && isKernelSmall
process.exitCode = isGood ? 0 : 1

function countSources(dir: string): number {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter(
    (name) =>
      /(^|\/)src\/.*\.ts$/.test(join(dir, name)) &&
      !/(^|\/)(dist|node_modules)\/|^web\//.test(name),
  ).length
}
