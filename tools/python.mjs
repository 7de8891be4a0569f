// The machine's Python, for the Python SDK.
import { spawnSync } from 'node:child_process'

export const PYTHON = process.env.PYTHON ?? 'python3'

const VERSION = 'import sys; sys.exit(sys.version_info < (3, 10))'

/** Whether there is a Python that the SDK supports. With REQUIRE_PYTHON=1 its absence is a failure. */
export function usePython() {
  const hasPython = spawnSync(PYTHON, ['-c', VERSION]).status === 0
  return hasPython || process.env.REQUIRE_PYTHON === '1'
}
