import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Compiles this folder and what it uses, because Node 20 cannot run TypeScript, for child processes that tests
 * kill.
 */
export function compileFolder(): {
  run(script: string, ...args: string[]): ChildProcess
  remove(): void
} {
  const source = dirname(fileURLToPath(import.meta.url))
  const compiler = dirname(createRequire(import.meta.url).resolve('typescript/package.json'))
  const modules = dirname(compiler)
  const out = mkdtempSync(join(tmpdir(), 'compiled-'))
  const config = {
    extends: join(dirname(modules), 'tsconfig.base.json'),
    compilerOptions: {
      composite: false,
      declaration: false,
      incremental: false,
      outDir: out,
      rootDir: dirname(source),
      sourceMap: false,
      typeRoots: [join(modules, '@types')],
    },
    files: [join(source, 'cluster.ts'), join(source, 'data-lock.ts')],
  }
  writeFileSync(join(out, 'tsconfig.json'), JSON.stringify(config))
  writeFileSync(join(out, 'package.json'), '{"type":"module"}')
  symlinkSync(modules, join(out, 'node_modules'))
  execFileSync(process.execPath, [join(compiler, 'bin', 'tsc'), '-p', out])
  return {
    run(script, ...args) {
      const file = join(mkdtempSync(join(out, 'script-')), 'main.mjs')
      writeFileSync(file, script)
      return spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
    },
    remove: () => rmSync(out, { recursive: true, force: true }),
  }
}

/** The first line printed by a child. */
export async function firstLine(child: ChildProcess): Promise<string> {
  let text = ''
  for await (const chunk of child.stdout ?? []) {
    text += String(chunk)
    if (text.includes('\n')) break
  }
  return text.trim()
}
