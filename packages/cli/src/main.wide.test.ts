import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { untilPasses } from '../../../testing/until-passes.ts'
import {
  atTerminal,
  emptyDirectory,
  hasScript,
  preparedDirectory,
  run,
  runToCompletion,
} from './testing/command-line.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }

async function serving(cwd: string, words: string[] = [], env: Record<string, string> = {}) {
  const server = run(cwd, ['serve', '--port', '0', '--log-format', 'json', ...words], env)
  await untilPasses(() => expect(server.output.text).toContain('Sluice is ready'))
  return server
}

test('it prints its version, and its help contains every flag with its variable', async () => {
  const cwd = await emptyDirectory()
  expect(await runToCompletion(cwd, ['--version'])).toMatchObject({ code: 0, text: `${version}\n` })
  // Sources without Git have no commit.
  const line = new RegExp(
    `^Sluice ${version.replaceAll('.', '\\.')}( \\(commit [0-9a-f]{12}, \\d{4}-\\d\\d-\\d\\dT[\\d:+-]+Z?\\))?\\n$`,
  )
  expect(await runToCompletion(cwd, ['version'])).toMatchObject({ code: 0, text: expect.stringMatching(line) })
  const help = await runToCompletion(cwd, ['serve', '--help'])
  expect(help.code).toBe(0)
  expect(help.text).toMatch(/--port <value>[^-]*\[PORT,\s+default 4600\]/)
  expect(help.text).not.toContain('--encryption-key')
  expect(help.text).toMatch(/Variables without a flag: .*DATABASE_URL, .*SLUICE_ENCRYPTION_KEY/)
})

test('an outdated Node is reported in one line', () => {
  const versions = `{ ...process.versions, node: '20.20.2' }`
  const older = `data:text/javascript,Object.defineProperty(process, 'versions', { value: ${versions} })`
  const main = fileURLToPath(new URL('main.js', import.meta.url))
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', older, main, 'version'], {
    encoding: 'utf8',
  })
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  expect(stderr).toMatch(/^sluice: Node 22\.18\.0 or newer is required; .* is 20\.20\.2\. .*\n$/)
})

test('an invalid configuration stops the start with one message and no stack', async () => {
  const cwd = await emptyDirectory()
  await writeFile(join(cwd, 'sluice.config.yaml'), 'prot: 80')
  const { code, text } = await runToCompletion(cwd, ['serve', '--prot', '80', '--port', 'abc'], { HOST: '' })
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

test('a reset without a data directory, or of a directory that is not Sluice’s, removes nothing', async () => {
  const cwd = await emptyDirectory()
  expect(await runToCompletion(cwd, ['reset'])).toMatchObject({
    code: 0,
    text: expect.stringMatching(/^There is no .*\.sluice\.\n$/),
  })
  const refused = await runToCompletion(cwd, ['reset', '--data-dir', '.'])
  expect(refused).toMatchObject({ code: 1, text: expect.stringMatching(/^sluice: .* is not a data directory/) })
})

test('a server locks its data directory until Ctrl-C, which leaves it ready for the next start or a reset', async () => {
  const cwd = await preparedDirectory()
  const { child, exitCode } = await serving(cwd)
  for (const words of [['serve', '--port', '0'], ['reset']]) {
    const { code, text } = await runToCompletion(cwd, words)
    expect(code).toBe(1)
    expect(text).toContain(`${join(cwd, '.sluice')} is in use by process ${child.pid}`)
  }
  child.kill('SIGINT')
  child.kill('SIGINT') // npm forwards what the terminal already sent
  expect(await exitCode).toBe(0) // a stop that was forced after 5 s exits with 1

  const again = await serving(cwd)
  again.child.kill('SIGTERM')
  expect(await again.exitCode).toBe(0)
  expect(await runToCompletion(cwd, ['reset'])).toMatchObject({ code: 0, text: expect.stringContaining('Removed') })
  expect(await readdir(cwd)).toEqual([])
})

test('the first owner’s key is printed at a terminal and nowhere else', async ({ skip }) => {
  const made = await serving(await preparedDirectory())
  await untilPasses(() => expect(made.output.text).toContain('sluice owner-token'))
  expect(made.output.text).not.toContain('slc_')
  skip(!hasScript, 'skipped: script')
  const cwd = await preparedDirectory()
  const shown = atTerminal(cwd, ['serve', '--port', '0', '--log-format', 'json'])
  await untilPasses(() => expect(shown.output.text).toMatch(/shown this once.*:\s+slc_\S{32,}\s/))
})

test('a start on a port in use creates no organization, so that the next start prints its key', async ({ skip }) => {
  skip(!hasScript, 'skipped: script')
  const stranger = createServer().listen(0, '127.0.0.1')
  await once(stranger, 'listening')
  onTestFinished(() => void stranger.close())
  const { port } = stranger.address() as AddressInfo
  const cwd = await preparedDirectory()
  const { code, text } = await runToCompletion(cwd, ['serve', '--port', String(port)])
  expect(code).toBe(1)
  expect(text).toContain(`Port ${port} of 127.0.0.1 is in use by another program.`)
  const next = atTerminal(cwd, ['serve', '--port', '0', '--log-format', 'json'])
  await untilPasses(() => expect(next.output.text).toMatch(/slc_\S{32,}/))
})

test('a configured owner’s key is not printed', async () => {
  const token = `slc_${'given'.repeat(8)}`
  const given = await serving(await emptyDirectory(), [], { SLUICE_BOOTSTRAP_TOKEN: token })
  given.child.kill('SIGTERM')
  await given.exitCode
  expect(given.output.text).not.toContain(token)
})

test('a killed server does not block the next start, but another encryption key does', async () => {
  const cwd = await preparedDirectory()
  const { child, exitCode } = await serving(cwd)
  child.kill('SIGKILL')
  await exitCode
  const another = { SLUICE_ENCRYPTION_KEY: randomBytes(32).toString('base64') }
  const refused = await runToCompletion(cwd, ['serve', '--port', '0'], another)
  expect(refused).toMatchObject({ code: 1, text: expect.stringContaining('encrypted with another key') })
  const again = await serving(cwd)
  again.child.kill('SIGTERM')
  expect(await again.exitCode).toBe(0)
})

test('a host that is no address of the machine is named', async () => {
  const { code, text } = await runToCompletion(await preparedDirectory(), [
    'serve',
    '--port',
    '0',
    '--host',
    '192.0.2.1',
  ])
  expect(code).toBe(1)
  expect(text).toContain('192.0.2.1 is not an address of this machine. Set HOST or --host to one of its addresses')
})

test('the demo starts its own cloud and stops it when it ends', async () => {
  const cwd = await emptyDirectory()
  const { child, output, exitCode } = run(cwd, ['demo', '--port', '0'])
  await untilPasses(() => expect(output.text).toMatch(/Sluice is ready at \S+\n/))
  const url = (pattern: RegExp) => pattern.exec(output.text)?.[1] ?? ''
  const service = url(/Sluice is ready at (http\S+)/)
  const cloud = url(/simulated cloud \((http[^)]+)\)/)
  expect((await fetch(`${service}/nowhere`)).status).toBe(404)
  await fetch(cloud) // any response means that it is running
  const second = await runToCompletion(cwd, ['demo', '--port', '0'])
  expect(second).toMatchObject({ code: 1, text: expect.stringContaining(`is in use by process ${child.pid}`) })
  child.kill('SIGINT')
  expect(await exitCode).toBe(0)
  await expect(fetch(cloud)).rejects.toThrow()
  await expect(fetch(service)).rejects.toThrow()
})
