// Runs the tests of the Python SDK with the machine's python3, against a service of their own that runs
// on an empty data folder. Arguments go to unittest, such as a test's name; PYTHON selects the program.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PYTHON } from './python.mjs'
import { ROOT } from './setup.mjs'

const READY_MS_MAX = 120_000
const SERVICE = join(ROOT, 'packages', 'server', 'bin', 'touchstone.mjs')
const PACKAGE = join(ROOT, 'packages', 'python')

const dir = mkdtempSync(join(tmpdir(), 'touchstone-python-'))
let status = 1
try {
  const port = await freePort()
  const service = spawn(process.execPath, [SERVICE, 'serve', '--empty'], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      DATA_DIR: dir,
      PORT: String(port),
      METRICS_ADDR: 'off',
      RATE_LIMITS: 'off',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  try {
    await ready(service)
    status = await runTests(`http://127.0.0.1:${port}`)
  } finally {
    service.kill('SIGTERM')
    if (service.exitCode === null) await once(service, 'close')
  }
} finally {
  rmSync(dir, { recursive: true, force: true })
}
process.exitCode = status

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

async function ready(service) {
  let output = ''
  const started = new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the service did not start')), READY_MS_MAX)
    for (const stream of [service.stdout, service.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk) => {
        output += chunk
        if (!/is ready/.test(output)) return
        clearTimeout(timer)
        resolve()
      })
    }
    service.once('exit', () => reject(new Error(`the service exited:\n${output}`)))
  })
  await started
}

async function runTests(url) {
  const credentials = JSON.parse(readFileSync(join(dir, 'credentials.json'), 'utf8'))
  const given = process.argv.slice(2)
  const args = given.length > 0 ? given : ['discover', '--start-directory', '.']
  const tests = spawn(PYTHON, ['-W', 'error::ResourceWarning', '-m', 'unittest', ...args], {
    cwd: join(PACKAGE, 'tests'),
    env: {
      ...process.env,
      NODE: process.execPath,
      PYTHONPATH: join(PACKAGE, 'src'),
      PYTHONDONTWRITEBYTECODE: '1',
      TOUCHSTONE_TEST_URL: url,
      TOUCHSTONE_TEST_CREDENTIALS: JSON.stringify(credentials),
    },
    stdio: 'inherit',
  })
  const [code] = await once(tests, 'close')
  return code ?? 1
}
