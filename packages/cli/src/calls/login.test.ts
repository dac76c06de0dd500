import { once } from 'node:events'
import { chmod, readFile, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { emptyDirectory, finished } from '../testing/command-line.ts'

/** A service with one key, and an organization of that name. */
async function serviceOf(organizationName: string, key: string): Promise<string> {
  const server = createServer((request, response) => {
    const isKnown = request.headers.authorization === `Bearer ${key}`
    const error = { code: 'Sluice:Auth:UNAUTHENTICATED', message: 'The key is not known.' }
    response.writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json' })
    response.end(JSON.stringify(isKnown ? { data: { email: 'ada@example.com', organizationName } } : error))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** The command line of somebody who has logged in nowhere yet. */
async function somebody() {
  const home = await emptyDirectory()
  const sluice = (words: string[], { input, ...env }: { input?: string; SLUICE_TOKEN?: string } = {}) =>
    finished(home, words, { XDG_CONFIG_HOME: home, ...env }, input)
  return { sluice, file: join(home, 'sluice', 'logins.json') }
}

test('a key is kept for its owner alone, used without being said again, and forgotten', async () => {
  const url = await serviceOf('Acme & Co', 'slc_a')
  const { sluice, file } = await somebody()
  const kept = await sluice(['login', '--url', url], { input: 'slc_a\n' })
  expect(kept).toMatchObject({ code: 0, text: `ada@example.com in Acme & Co at ${url}, called acme-co.\n` })
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect((await stat(join(file, '..'))).mode & 0o777).toBe(0o700)
  expect(await sluice(['api', 'whoami'])).toMatchObject({ code: 0, text: expect.stringContaining('Acme & Co') })
  expect(await sluice(['logout'])).toMatchObject({ code: 0, text: expect.stringContaining('still works until') })
  expect(await readFile(file, 'utf8')).not.toContain('slc_a')
  expect(await sluice(['api', 'whoami'])).toMatchObject({ code: 2, text: expect.stringContaining('Who calls?') })
})

test('there may be several logins, of which one is in use; a key goes to its own service only', async () => {
  const [acme, other] = [await serviceOf('Acme', 'slc_a'), await serviceOf('Acme', 'slc_b')]
  const { sluice } = await somebody()
  await sluice(['login', '--url', acme], { input: 'slc_a' })
  await sluice(['login', '--url', other, '--name', 'other'], { input: 'slc_b' })
  const { text } = await sluice(['use'])
  expect(text).toMatch(/^other +yes /m)
  expect(text).not.toContain('slc_')
  expect(await sluice(['api', 'whoami', '--url', acme])).toMatchObject({ code: 0 })
  expect(await sluice(['use', 'acme'])).toMatchObject({ code: 0 })
  expect(JSON.parse((await sluice(['use', '--json'])).stdout)).toMatchObject([{ used: true }, { used: false }])
  const stranger = await serviceOf('Mallory', 'slc_a')
  expect(await sluice(['api', 'whoami', '--url', stranger])).toMatchObject({ code: 2 })
  expect(await sluice(['use', 'nobody'])).toMatchObject({ code: 2, text: expect.stringContaining('acme, other') })
})

test('a key that the service does not know is not kept, and the environment wins over one that is', async () => {
  const url = await serviceOf('Acme', 'slc_a')
  const { sluice } = await somebody()
  expect(await sluice(['login', '--url', url], { input: 'slc_wrong' })).toMatchObject({ code: 1 })
  expect(await sluice(['login', '--url', url], { input: '' })).toMatchObject({ code: 2 })
  expect((await sluice(['use'])).text).toContain('There is no login')
  await sluice(['login', '--url', url], { input: 'slc_a' })
  const asked = await sluice(['api', 'whoami', '--url', url], { SLUICE_TOKEN: 'slc_other' })
  expect(asked).toMatchObject({ code: 1, text: expect.stringContaining('The key is not known.') })
})

test('keys that others on the machine may read are not used', async ({ skip }) => {
  skip(process.platform === 'win32', 'skipped: modes of files')
  const url = await serviceOf('Acme', 'slc_a')
  const { sluice, file } = await somebody()
  await sluice(['login', '--url', url], { input: 'slc_a' })
  await chmod(file, 0o644)
  expect(await sluice(['api', 'whoami'])).toMatchObject({ code: 1, text: expect.stringContaining(`chmod 600 ${file}`) })
})
