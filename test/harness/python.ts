import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export const PYTHON = process.env['PYTHON'] ?? 'python3'

/** The Python SDK, which is imported from its sources. */
export const PYTHON_PATH = fileURLToPath(new URL('../../packages/python/src', import.meta.url))

/** Python 3.10 is optional on the machine, unless REQUIRE_PYTHON=1 makes its absence a failure. */
export const hasPython =
  process.env['REQUIRE_PYTHON'] === '1' ||
  spawnSync(PYTHON, ['-c', 'import sys; sys.exit(sys.version_info < (3, 10))']).status === 0
