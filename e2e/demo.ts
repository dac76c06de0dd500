import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type Demo = {
  url: string
  email: string
  password: string
  /** Clone URL of the demo's repository, including the password; undefined without Git. */
  cloneUrl: string | undefined
  /** Stops the service like an operator, runs `meanwhile`, and starts the service on the same data. */
  restart: (meanwhile: () => Promise<unknown>) => Promise<void>
  stop: () => Promise<void>
}

/** Starts the demo like `npm start`, with its own data directory. */
export async function startDemo(): Promise<Demo> {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-e2e-'))
  const env = { ...process.env, SLUICE_DATA_DIR: directory, SLUICE_ADMISSION_TARGET_MS: '60000' } // a busy machine
  let running = await run({ ...env, PORT: '0' })
  const [, email = '', password = ''] = /Console\s+\S+\s+\((\S+) \/ (\S+)\)/.exec(running.said) ?? []
  return {
    url: running.url,
    email,
    password,
    cloneUrl: /git clone (\S+)/.exec(running.said)?.[1],
    async restart(meanwhile) {
      await running.end()
      await meanwhile()
      running = await run({ ...env, PORT: new URL(running.url).port })
    },
    async stop() {
      await running.end()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

type Running = { url: string; said: string; end: () => Promise<void> }

/** Starts the program and waits until it is ready. */
async function run(env: NodeJS.ProcessEnv): Promise<Running> {
  const child = spawn(process.execPath, ['packages/cli/src/main.js', 'demo'], {
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
  const end = async () => {
    child.kill('SIGTERM')
    await over
  }
  return { url, said, end }
}
