import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'

const soon = { timeout: 30_000, interval: 20 }

async function emptyDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-cli-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return directory
}

/** The real command line in a process of its own, in a directory of its own. */
function run(cwd: string, words: string[], env: Record<string, string> = {}) {
  const main = join(import.meta.dirname, 'main.ts')
  const child = spawn(process.execPath, [main, ...words], { cwd, env: { PATH: process.env.PATH, ...env } })
  const watchedChild = watched(child)
  onTestFinished(async () => {
    child.kill('SIGTERM') // not SIGKILL: its engine would still write into the directory that goes next
    await watchedChild.exitCode
  })
  return watchedChild
}

function watched(child: ChildProcess) {
  const output = { text: '' }
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output.text += chunk))
  const exitCode = once(child, 'close').then(([code]): number | null => code)
  return { child, output, exitCode }
}

async function finished(cwd: string, words: string[], env?: Record<string, string>) {
  const { output, exitCode } = run(cwd, words, env)
  return { code: await exitCode, text: output.text }
}

async function serving(cwd: string, words: string[] = []) {
  const server = run(cwd, ['serve', '--port', '0', '--log-format', 'json', ...words])
  await vi.waitFor(() => expect(server.output.text).toContain('Sluice is ready'), soon)
  return server
}

test('it says its version, and its help shows every flag with its variable', async () => {
  const cwd = await emptyDirectory()
  expect(await finished(cwd, ['--version'])).toEqual({ code: 0, text: '0.1.0\n' })
  const help = await finished(cwd, ['serve', '--help'])
  expect(help.code).toBe(0)
  expect(help.text).toMatch(/--port <value>[^-]*\[PORT,\s+default 4600\]/)
  expect(help.text).not.toContain('--encryption-key')
})

test('a configuration that cannot be used stops the start with one message and no stack', async () => {
  const cwd = await emptyDirectory()
  await writeFile(join(cwd, 'sluice.config.yaml'), 'prot: 80')
  const { code, text } = await finished(cwd, ['serve', '--prot', '80', '--port', 'abc'], { HOST: '' })
  expect(code).toBe(1)
  expect(text.split('\n')).toEqual([
    'sluice: This configuration cannot be used:',
    expect.stringContaining('prot (sluice.config.yaml) is not a setting'),
    '  --prot is not an option. See sluice serve --help.',
    '  --port (command line) is "abc": expected a port number from 0 to 65535.',
    '',
  ])
  expect(await readdir(cwd)).toEqual(['sluice.config.yaml'])
})

test('a reset without a data directory, and of a directory that is not ours, removes nothing', async () => {
  const cwd = await emptyDirectory()
  expect(await finished(cwd, ['reset'])).toMatchObject({
    code: 0,
    text: expect.stringMatching(/^There is no .*\.sluice\.\n$/),
  })
  const refused = await finished(cwd, ['reset', '--data-dir', '.'])
  expect(refused).toMatchObject({ code: 1, text: expect.stringMatching(/^sluice: .* is not a data directory/) })
})

test('a server holds its data directory until Ctrl-C, which leaves it ready for the next start or a reset', async () => {
  const cwd = await emptyDirectory()
  const { child, exitCode } = await serving(cwd)
  for (const words of [['serve', '--port', '0'], ['reset']]) {
    const { code, text } = await finished(cwd, words)
    expect(code).toBe(1)
    expect(text).toContain(`${join(cwd, '.sluice')} is in use by process ${child.pid}`)
  }
  const askedAt = Date.now()
  child.kill('SIGINT')
  child.kill('SIGINT') // npm hands on what the terminal sent already
  expect(await exitCode).toBe(0)
  expect(Date.now() - askedAt).toBeLessThan(5_000)

  const again = await serving(cwd)
  again.child.kill('SIGTERM')
  expect(await again.exitCode).toBe(0)
  expect(await finished(cwd, ['reset'])).toMatchObject({ code: 0, text: expect.stringContaining('Removed') })
  expect(await readdir(cwd)).toEqual([])
})

test('a server that was killed is no obstacle to the next start', async () => {
  const cwd = await emptyDirectory()
  const { child, exitCode } = await serving(cwd)
  child.kill('SIGKILL')
  await exitCode
  const again = await serving(cwd)
  again.child.kill('SIGTERM')
  expect(await again.exitCode).toBe(0)
})

test('a port in use is named', async () => {
  const stranger = createServer().listen(0, '127.0.0.1')
  await once(stranger, 'listening')
  onTestFinished(() => void stranger.close())
  const { port } = stranger.address() as AddressInfo
  const { code, text } = await finished(await emptyDirectory(), ['serve', '--port', String(port)])
  expect(code).toBe(1)
  expect(text).toContain(`Port ${port} of 127.0.0.1 is in use by another program.`)
})

test('the demo brings its own cloud, and takes it along when it stops', async () => {
  const cwd = await emptyDirectory()
  const { child, output, exitCode } = run(cwd, ['demo', '--port', '0'])
  await vi.waitFor(() => expect(output.text).toMatch(/Sluice is ready at \S+\n/), soon)
  const url = (pattern: RegExp) => pattern.exec(output.text)?.[1] ?? ''
  const service = url(/Sluice is ready at (http\S+)/)
  const cloud = url(/simulated cloud \((http[^)]+)\)/)
  expect((await fetch(`${service}/nowhere`)).status).toBe(404)
  await fetch(cloud) // whatever it says to that: it is there
  const second = await finished(cwd, ['demo', '--port', '0'])
  expect(second).toMatchObject({ code: 1, text: expect.stringContaining(`is in use by process ${child.pid}`) })
  child.kill('SIGINT')
  expect(await exitCode).toBe(0)
  await expect(fetch(cloud)).rejects.toThrow()
  await expect(fetch(service)).rejects.toThrow()
})
