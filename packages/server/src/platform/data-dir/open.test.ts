import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDataDir } from './open.ts'
import { resetDataDir } from './reset.ts'

async function emptyDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-data-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return directory
}

/** Another process that opens the directory and keeps it. */
async function ownerOf(directory: string): Promise<ChildProcess> {
  const script = `
    import { openDataDir } from ${JSON.stringify(new URL('./open.ts', import.meta.url).href)}
    await openDataDir(${JSON.stringify(directory)})
    console.log('opened')
    process.stdin.resume()`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return child
}

test('a directory that cannot be created is rejected with its name', async () => {
  const file = join(await emptyDirectory(), 'file')
  await writeFile(file, '')
  await expect(openDataDir(file)).rejects.toThrow(`The data directory ${file} cannot be made (EEXIST).`)
})

test('a directory in use by another process is rejected with its name and owner, and free after that process is killed', async () => {
  const directory = await emptyDirectory()
  const owner = await ownerOf(directory)
  await expect(openDataDir(directory)).rejects.toThrow(`${directory} is in use by process ${owner.pid}.`)
  await expect(resetDataDir(directory)).rejects.toThrow('in use')
  owner.kill('SIGKILL')
  await once(owner, 'exit')
  const dataDir = await openDataDir(directory)
  await expect(openDataDir(directory)).rejects.toThrow(`in use by process ${process.pid}.`)
  dataDir.close()
  await expect(openDataDir(directory).then((again) => again.close())).resolves.toBeUndefined()
})

test('what it keeps is for its owner alone', async () => {
  const directory = join(await emptyDirectory(), 'new/nested')
  const dataDir = await openDataDir(directory)
  await dataDir.encryptionKey()
  expect((await stat(directory)).mode & 0o777).toBe(0o700)
  expect((await stat(join(directory, 'encryption-key'))).mode & 0o777).toBe(0o600)
  dataDir.close()
})

test('a key that all users of the machine can read stops the start, with the remedy', async () => {
  const directory = await emptyDirectory()
  const dataDir = await openDataDir(directory)
  await dataDir.encryptionKey()
  const file = join(directory, 'encryption-key')
  await chmod(file, 0o644)
  await expect(dataDir.encryptionKey()).rejects.toThrow(/mode 644\): chmod 600 it/)
  await chmod(file, 0o640) // as volumes give it to a group
  await expect(dataDir.encryptionKey()).resolves.toHaveLength(32)
  dataDir.close()
})

test('ports and the encryption key are the same at the next start', async () => {
  const directory = await emptyDirectory()
  const first = await openDataDir(directory)
  const ports = await first.ports(['one', 'two'])
  const key = await first.encryptionKey()
  expect(key).toHaveLength(32)
  expect(ports.one).not.toBe(ports.two)
  first.close()

  const second = await openDataDir(directory)
  expect(await second.ports(['two', 'three', 'one'])).toMatchObject(ports)
  expect(await second.encryptionKey()).toEqual(key)
  second.close()
})

test('a port that another process uses is replaced, and the others stay', async () => {
  const dataDir = await openDataDir(await emptyDirectory())
  onTestFinished(() => dataDir.close())
  const before = await dataDir.ports(['one', 'two'])
  const stranger = createServer().listen(before.one, '127.0.0.1')
  await once(stranger, 'listening')
  const after = await dataDir.ports(['one', 'two'])
  stranger.close()
  expect(after.one).not.toBe(before.one)
  expect(after.two).toBe(before.two)
  expect(await dataDir.ports(['one'])).toEqual({ one: after.one })
})

test('damaged ports are picked anew, a damaged encryption key stops the start', async () => {
  const dataDir = await openDataDir(await emptyDirectory())
  onTestFinished(() => dataDir.close())
  await writeFile(dataDir.inside('ports.json'), '{"one": "no')
  expect((await dataDir.ports(['one'])).one).toBeGreaterThan(0)
  await writeFile(dataDir.inside('encryption-key'), 'c2hvcnQ=')
  await expect(dataDir.encryptionKey()).rejects.toThrow('is damaged')
  expect(await readFile(dataDir.inside('encryption-key'), 'utf8')).toBe('c2hvcnQ=')
})

test('a reset removes a data directory and says what was in it', async () => {
  const directory = join(await emptyDirectory(), 'data')
  expect(await resetDataDir(directory)).toBeUndefined()
  const dataDir = await openDataDir(directory)
  await mkdir(dataDir.inside('engine'))
  dataDir.close()
  expect(await resetDataDir(directory)).toContain('engine')
  await expect(readdir(directory)).rejects.toThrow('ENOENT')
})

test('a reset rejects a directory that is not a data directory', async () => {
  const directory = await emptyDirectory()
  await writeFile(join(directory, 'thesis.txt'), 'years of work')
  await expect(resetDataDir(directory)).rejects.toThrow('is not a data directory')
  expect(await readdir(directory)).toEqual(['thesis.txt'])
})
