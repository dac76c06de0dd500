import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addressIn, run, welcomeIn } from './programs.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const directory = mkdtempSync(join(tmpdir(), 'sluice-archive-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))
let place = ''
beforeAll(async () => {
  const { stdout } = await run(join(root, 'scripts/archive'), [directory], { maxBuffer: 2 ** 24 })
  const file = stdout.trim()
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  expect(basename(file)).toBe(`sluice-${version}-${process.platform}-${process.arch}.tar.gz`)
  await run('sha256sum', ['--check', `${file}.sha256`], { cwd: directory })
  await run('tar', ['--extract', '--file', file, '--directory', directory])
  place = file.replace(/\.tar\.gz$/, '')
}, 600_000)

/** Environment of a machine without Node and settings. */
const env = { PATH: '/usr/bin:/bin', HOME: directory, SLUICE_DATA_DIR: join(directory, 'data') }

test('the archive reports its commit', async () => {
  const { stdout: commit } = await run('git', ['log', '-1', '--format=%H'], { cwd: root })
  const { stdout } = await run(join(place, 'bin/sluice'), ['version'], { env, cwd: directory })
  expect(stdout).toContain(commit.slice(0, 12))
})

test('the archive serves API, console and guide in an empty folder, with its own Node and engine', async () => {
  const child = spawn(join(place, 'bin/sluice'), ['serve', '--port', '0', '--log-format', 'json'], {
    env,
    cwd: directory,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const url = await addressIn(child.stdout)
    expect(readlinkSync(`/proc/${child.pid}/exe`)).toBe(join(place, 'bin/node'))
    const ready = await fetch(`${url}/health/ready`)
    expect(await ready.json()).toMatchObject({ data: { status: 'ok', checks: { engine: 'ok', worker: 'ok' } } })
    for (const page of ['/console/', '/docs/guide/']) expect((await fetch(url + page)).status, page).toBe(200)
  } finally {
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
})

test('the demo of the archive rehearses a release', async () => {
  const args = ['demo', '--port', '0', '--data-dir', join(directory, 'demo')]
  const child = spawn(join(place, 'bin/sluice'), args, { env, cwd: directory, stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const { SLUICE_URL, SLUICE_TOKEN } = await welcomeIn(child.stdout)
    const rehearse = [
      'rehearse',
      'web',
      'image_ref=registry.example/shop/web:2.1.0',
      '--scenario',
      'NO_FAULT',
      '--wait',
    ]
    const { stdout } = await run(join(place, 'bin/sluice'), rehearse, {
      env: { ...env, SLUICE_URL, SLUICE_TOKEN },
      cwd: directory,
    })
    expect(stdout).toContain('The release succeeds')
  } finally {
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
})
