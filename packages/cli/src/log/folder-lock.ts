import { once } from 'node:events'
import { realpath, rm } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sha256Hex } from '@touchstone/protocol/crypto'
import { CliError } from '../cli-error.ts'
import { isCode } from '../system-error.ts'

export type FolderLock = { release(): Promise<void> }

/**
 * At most one process of this machine holds the lock of a folder. The lock is a local socket whose
 * name follows from the path, because the system closes it whenever and however the process ends.
 */
export async function lockFolder(dir: string): Promise<FolderLock> {
  const name = `touchstone-${sha256Hex(await realpath(dir)).slice(0, 32)}`
  const server = await listen(name, dir)
  server.unref()
  return {
    async release() {
      server.close()
      await once(server, 'close')
    },
  }
}

async function listen(name: string, dir: string): Promise<Server> {
  const address = addressOf(name)
  try {
    return await listenAt(address)
  } catch (err) {
    if (!isCode(err, 'EADDRINUSE')) throw err
    if (!isFile(address) || (await answers(address))) {
      throw new CliError('in_use', `${dir} is in use by another process.`, { cause: err })
    }
  }
  // A process that was killed leaves its socket file behind.
  await rm(address, { force: true })
  return listenAt(address)
}

/** The names of Linux and Windows disappear with the process; elsewhere it is a file. */
function addressOf(name: string): string {
  if (process.platform === 'linux') return `\0${name}`
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), name)
}

function isFile(address: string): boolean {
  return address.startsWith('/')
}

async function listenAt(address: string): Promise<Server> {
  const server = createServer((socket) => socket.destroy())
  server.listen(address)
  await once(server, 'listening')
  return server
}

async function answers(address: string): Promise<boolean> {
  const socket = connect(address)
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
