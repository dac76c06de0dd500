import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type Demo = { url: string; email: string; password: string; stop: () => Promise<void> }

/** The demo as `npm start` runs it, on a data directory of its own. */
export async function startDemo(): Promise<Demo> {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-e2e-'))
  const env = { ...process.env, SLUICE_DATA_DIR: directory, PORT: String(await freePort()) }
  const child = spawn(process.execPath, ['packages/cli/src/main.ts', 'demo'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const over = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  let said = ''
  const ready = new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      said += chunk
      const [, url] = /Sluice is ready at (\S+)/.exec(said) ?? []
      if (url !== undefined) resolve(url)
    })
    over.then(() => reject(new Error(`the demo ended before it was ready:\n${said}`)))
  })
  const url = await ready
  const [, email = '', password = ''] = /Console\s+\S+\s+\((\S+) \/ (\S+)\)/.exec(said) ?? []
  return {
    url,
    email,
    password,
    async stop() {
      child.kill('SIGTERM')
      await over
      await rm(directory, { recursive: true, force: true })
    },
  }
}

const freePort = () =>
  new Promise<number>((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
