import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addressIn, run } from './programs.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const directory = mkdtempSync(join(tmpdir(), 'sluice-checkout-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const env = { PATH: process.env.PATH, HOME: process.env.HOME, SLUICE_DATA_DIR: join(directory, 'data') }
const options = { cwd: join(directory, 'sluice'), env, maxBuffer: 2 ** 24 }
let output = ''

beforeAll(async () => {
  await run('git', ['clone', '--quiet', root, options.cwd])
  const { stdout, stderr } = await run('npm', ['ci', '--omit=dev', '--no-audit', '--no-fund'], options)
  output = stdout + stderr
}, 600_000)

test('npm ci --omit=dev leaves out the libraries of console and guide, says so, and prints no warning', () => {
  expect(output).toContain('The console and the guide are not built')
  expect(output).not.toMatch(/warn|error/i)
  for (const name of ['vite', 'react', 'vitest', 'markdown-it'])
    expect(existsSync(join(options.cwd, 'node_modules', name)), name).toBe(false)
})

test('a checkout after npm ci --omit=dev serves the API with its engine', async () => {
  const args = ['run', '--silent', 'sluice', '--', 'serve', '--port', '0', '--log-format', 'json']
  const child = spawn('npm', args, { ...options, detached: true, stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const url = await addressIn(child.stdout)
    const ready = await fetch(`${url}/health/ready`)
    expect(await ready.json()).toMatchObject({ data: { status: 'ok', checks: { engine: 'ok', worker: 'ok' } } })
    expect(await (await fetch(`${url}/docs/guide/`)).text()).toContain('npm run prepare')
  } finally {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM')
    await once(child, 'exit')
  }
})
