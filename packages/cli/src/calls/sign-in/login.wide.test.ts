import { once } from 'node:events'
import { chmod, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { emptyDirectory, runToCompletion } from '../../testing/command-line.ts'

/** Starts a fake service with one key and an organization of that name. */
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

/** Returns a command line without logins. */
async function createMember() {
  const home = await emptyDirectory()
  const sluice = (words: string[], { input, ...env }: { input?: string; [name: string]: string | undefined } = {}) =>
    runToCompletion(home, words, { XDG_CONFIG_HOME: home, ...(env as Record<string, string>) }, input)
  return { sluice, home, file: join(home, 'sluice', 'logins.json') }
}

test('a key is stored readable only by its owner, used by default, and deleted', async () => {
  const url = await serviceOf('Acme & Co', 'slc_a')
  const { sluice, file } = await createMember()
  const kept = await sluice(['login', '--url', url], { input: 'slc_a\n' })
  expect(kept).toMatchObject({
    code: 0,
    text: `ada@example.com in Acme & Co at ${url}, called acme-co.\nThe key is in ${file}, which only you may read.\n`,
  })
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect((await stat(join(file, '..'))).mode & 0o777).toBe(0o700)
  expect(await sluice(['api', 'whoami'])).toMatchObject({ code: 0, text: expect.stringContaining('Acme & Co') })
  expect(await sluice(['logout'])).toMatchObject({ code: 0, text: expect.stringContaining('still works until') })
  expect(await readFile(file, 'utf8')).not.toContain('slc_a')
  expect(await sluice(['api', 'whoami'])).toMatchObject({ code: 2, text: expect.stringContaining('Who calls?') })
})

test('of several logins one is in use, and a key is only sent to its own service', async () => {
  const [acme, other] = [await serviceOf('Acme', 'slc_a'), await serviceOf('Acme', 'slc_b')]
  const { sluice } = await createMember()
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

test('a key that the service rejects is not stored, and the environment takes precedence over a login', async () => {
  const url = await serviceOf('Acme', 'slc_a')
  const { sluice } = await createMember()
  expect(await sluice(['login', '--url', url], { input: 'slc_wrong' })).toMatchObject({ code: 1 })
  expect(await sluice(['login', '--url', url], { input: '' })).toMatchObject({ code: 2 })
  expect((await sluice(['use'])).text).toContain('There is no login')
  await sluice(['login', '--url', url], { input: 'slc_a' })
  const asked = await sluice(['api', 'whoami', '--url', url], { SLUICE_TOKEN: 'slc_other' })
  expect(asked).toMatchObject({ code: 1, text: expect.stringContaining('The key is not known.') })
})

test('keys that other users can read are not used', async ({ skip }) => {
  skip(process.platform === 'win32', 'skipped: modes of files')
  const url = await serviceOf('Acme', 'slc_a')
  const { sluice, file } = await createMember()
  await sluice(['login', '--url', url], { input: 'slc_a' })
  await chmod(file, 0o644)
  expect(await sluice(['api', 'whoami'])).toMatchObject({ code: 1, text: expect.stringContaining(`chmod 600 ${file}`) })
})

/** Fake key store program that stores secrets in a folder and records its arguments. */
const secretTool = `#!/bin/sh
echo "$@" >> "$STORE/words"
for last; do :; done
case $1 in
  store) cat > "$STORE/$last" ;;
  lookup) cat "$STORE/$last" ;;
  clear) rm "$STORE/$last" ;;
esac
`

test('a system key store holds the key exclusively, and the key never appears in arguments', async ({ skip }) => {
  skip(process.platform !== 'linux', 'skipped: secret-tool is for Linux')
  const url = await serviceOf('Acme', 'slc_a')
  const { sluice, home, file } = await createMember()
  await writeFile(join(home, 'secret-tool'), secretTool, { mode: 0o755 })
  const env = { SLUICE_KEY_STORE: '', STORE: home, PATH: `${home}:${process.env.PATH}` }
  const kept = await sluice(['login', '--url', url], { ...env, input: 'slc_a' })
  expect(kept).toMatchObject({ code: 0, text: expect.stringContaining('the key store of the system (secret-tool)') })
  expect(await readFile(file, 'utf8')).not.toContain('slc_a')
  expect(await sluice(['api', 'whoami'], env)).toMatchObject({ code: 0, text: expect.stringContaining('Acme') })
  expect(await sluice(['api', 'whoami'])).toMatchObject({
    code: 1,
    text: expect.stringContaining('does not give the key'),
  })
  expect(await sluice(['logout'], env)).toMatchObject({ code: 0 })
  const words = await readFile(join(home, 'words'), 'utf8')
  expect(words).toMatch(/^store .*\nlookup .*\nlookup .*\nclear .*\n$/)
  expect(words).not.toContain('slc_')
})

test('a code entered by a user yields a key: the command polls for it, more slowly on request', async () => {
  const service = new URL(await serviceOf('Acme', 'slc_a'))
  const answers = [
    { status: 422, body: { code: 'Sluice:Auth:AUTHORIZATION_PENDING', message: 'Nobody has.' } },
    { status: 200, body: { data: { token: 'slc_a', expiresAt: '2099-01-01T00:00:00Z' } } },
    { status: 403, body: { code: 'Sluice:Auth:ACCESS_DENIED', message: 'The user rejected the sign-in.' } },
  ]
  const codes = { deviceCode: 'sld_a', userCode: 'BCDF-GHJK', expiresIn: 60, interval: 0.01 }
  const page = { verificationUri: 'https://sluice.example/console/device', verificationUriComplete: 'file:///etc' }
  const server = createServer(async (request, response) => {
    const { status, body } =
      request.url === '/auth/device'
        ? { status: 201, body: { data: { ...codes, ...page } } }
        : request.url === '/auth/device/token'
          ? (answers.shift() ?? { status: 500, body: {} })
          : await fetch(new URL(request.url ?? '', service), { headers: { authorization: 'Bearer slc_a' } }).then(
              async (answer) => ({ status: answer.status, body: await answer.json() }),
            )
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { sluice } = await createMember()
  const kept = await sluice(['login', '--device', '--url', url])
  expect(kept).toMatchObject({ code: 0, stdout: expect.stringContaining('ada@example.com in Acme') })
  expect(kept.stderr).toContain(`Open ${page.verificationUri} and enter BCDF-GHJK.`)
  expect(kept.text).not.toMatch(/slc_a|sld_a/)
  expect(await sluice(['login', '--device', '--url', url])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('The user rejected the sign-in.'),
  })
})
