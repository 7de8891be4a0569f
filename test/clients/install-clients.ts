import { fileURLToPath } from 'node:url'
import { installPackages } from '../harness/install-packages.ts'

/** Installs the coding agents once. The scripts of two packages put their programs in place. */
export function setup(): Promise<void> {
  const folder = fileURLToPath(new URL('.', import.meta.url))
  const built = ['@anthropic-ai/claude-code', 'opencode-ai']
  return installPackages(folder, { name: 'coding agents', built })
}
