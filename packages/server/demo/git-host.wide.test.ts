import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { gitIsMissing } from '../src/git/adapter/fakes/smart-http.fixture.ts'
import { createGitHostB } from '../src/git/adapter/githostb.ts'
import { readWebhookOfB } from '../src/git/adapter/githostb-webhooks.ts'
import { sendLocally } from '../src/git/adapter/send-locally.fixture.ts'
import { eventually } from '../src/testing/eventually.ts'
import { freePort } from '../src/testing/free-port.ts'
import { demoRepository, startGitHost } from './git-host.ts'

const run = promisify(execFile)
const environment = {
  PATH: process.env.PATH,
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'Grace',
  GIT_AUTHOR_EMAIL: 'grace@example.com',
  GIT_COMMITTER_NAME: 'Grace',
  GIT_COMMITTER_EMAIL: 'grace@example.com',
}
const git = async (cwd: string, ...args: string[]) => (await run('git', args, { cwd, env: environment })).stdout.trim()

const withGit = test.skipIf(gitIsMissing !== '')

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-git-host-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function started(directory: string, port: number) {
  const host = await startGitHost({ port, directory, password: 'a-password' })
  if (!host) throw new Error('there is no git')
  return host
}

/** Receives webhooks and rejects the first one. */
async function receiver() {
  const told: { token: unknown; body: unknown }[] = []
  let isReady = false
  const server = createServer(async (asked, response) => {
    const body: unknown = JSON.parse(await text(asked))
    if (isReady) told.push({ token: asked.headers['x-gitlab-token'], body })
    response.writeHead(isReady ? 200 : 503).end()
    isReady = true
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { told, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

withGit('what is pushed to the demo is told once, though nobody listened and the host was started anew', async () => {
  const folder = await emptyFolder()
  const [directory, work, port] = [join(folder, 'kept.git'), join(folder, 'work'), await freePort()]
  const first = await started(directory, port)
  await git(folder, 'clone', '--quiet', first.cloneUrl, work)
  const before = await git(work, 'rev-parse', 'HEAD')
  await writeFile(join(work, 'function/index.mjs'), 'export const handler = () => {}')
  await git(work, 'commit', '--quiet', '--all', '--message', 'Greet nobody')
  await git(work, 'push', '--quiet')
  const commit = await git(work, 'rev-parse', 'HEAD')
  await first.stop()

  const host = await started(directory, port)
  onTestFinished(() => host.stop())
  const { told, url } = await receiver()
  host.tellTo({ url, secret: 'of the webhook' })
  const [one] = await eventually(
    'the push to be told',
    async () => told,
    (all) => all.length > 0,
  )
  expect(one?.token).toBe('of the webhook')
  const facts = { branch: 'main', before, commit, message: 'Greet nobody', author: 'Grace', pushedBy: 'Grace' }
  expect(readWebhookOfB(one?.body)).toMatchObject([{ kind: 'push', ...facts, changedPaths: ['function/index.mjs'] }])
  await git(work, 'commit', '--quiet', '--allow-empty', '--message', 'Nothing')
  await git(work, 'push', '--quiet')
  await eventually(
    'the next push to be told',
    async () => told,
    (all) => all.length > 1,
  )
  expect(told).toHaveLength(2)
  expect(await git(work, 'ls-remote')).not.toContain('refs/told')

  // The client that the service uses.
  const b = createGitHostB({ url: host.url, send: sendLocally, clock: () => new Date() })
  const repository = b.repository({ repoName: demoRepository.name, gitRepositoryId: null, tokens: undefined })
  expect(await repository.read()).toMatchObject({ gitRepositoryId: '1', defaultBranch: 'main', visibility: 'PUBLIC' })
  expect(await repository.branches()).toEqual(['main'])
  expect(await repository.changedPaths(before, commit)).toEqual(['function/index.mjs'])
  expect((await repository.commitsBetween(before, 'main')).items.map(({ message }) => message)).toEqual([
    'Nothing',
    'Greet nobody',
  ])
  expect((await repository.contents('', undefined)).type).toBe('DIRECTORY')
  expect(await repository.contents('function', 'main')).toMatchObject({ items: [{ name: 'index.mjs', type: 'FILE' }] })
  const file = await repository.contents('function/index.mjs', commit)
  expect(file.type === 'FILE' && file.content?.toString()).toBe('export const handler = () => {}')
  await expect(repository.contents('nowhere', undefined)).rejects.toThrow('nowhere')
})

withGit('everybody clones it, and nobody pushes to it without the password', async () => {
  const folder = await emptyFolder()
  const host = await started(join(folder, 'kept.git'), await freePort())
  onTestFinished(() => host.stop())
  const work = join(folder, 'work')
  const open = `${host.url}/${demoRepository.name}.git`
  await git(folder, 'clone', '--quiet', open, work)
  const before = await git(work, 'rev-parse', 'HEAD')
  await git(work, 'commit', '--quiet', '--allow-empty', '--message', 'Nothing')
  const heads = async () => (await git(work, 'ls-remote', '--heads', 'origin')).split(/\s/)[0]
  for (const address of [
    open,
    host.cloneUrl.replace('a-password', 'another'),
    host.cloneUrl.replace('a-password', ''),
  ]) {
    await expect(git(work, 'push', '--quiet', address, 'HEAD:main')).rejects.toThrow(
      /Authentication failed|could not read/,
    )
  }
  const refs = `${open}/info/refs?service=git-receive-pack`
  for (const headers of [{}, { authorization: 'Bearer a-password' }, { authorization: 'Basic' }]) {
    expect((await fetch(refs, { headers })).status).toBe(401)
  }
  const pushed = { method: 'POST', headers: { 'content-type': 'application/x-git-receive-pack-request' }, body: '0000' }
  expect((await fetch(`${open}/git-receive-pack`, pushed)).status).toBe(401)
  expect(await heads()).toBe(before)
  await git(work, 'push', '--quiet', host.cloneUrl, 'HEAD:main')
  expect(await heads()).toBe(await git(work, 'rev-parse', 'HEAD'))
})

withGit('people see the repository and its commits, whatever is written in them', async () => {
  const folder = await emptyFolder()
  const host = await started(join(folder, 'kept.git'), await freePort())
  onTestFinished(() => host.stop())
  const work = join(folder, 'work')
  await git(folder, 'clone', '--quiet', host.cloneUrl, work)
  await writeFile(join(work, 'function/index.mjs'), '</pre><script>alert(1)</script>')
  await git(work, 'commit', '--quiet', '--all', '--message', 'Greet <b>nobody</b> & all')
  await git(work, 'push', '--quiet')
  const commit = await git(work, 'rev-parse', 'HEAD')
  const pageAt = async (path: string) => {
    const answered = await fetch(host.url + path)
    expect(answered.headers.get('content-security-policy')).toContain("default-src 'none'")
    return answered.text()
  }

  const shown = `/${demoRepository.name}/-/commit/${commit}`
  const ofRepository = await pageAt(`/${demoRepository.name}`)
  expect(ofRepository).toContain(`href="${host.url}${shown}">Greet &lt;b&gt;nobody&lt;/b&gt; &amp; all</a>`)
  expect(ofRepository).toContain('A function that greets')
  const ofCommit = await pageAt(shown)
  expect(ofCommit).toContain('<ins>+&lt;/pre&gt;&lt;script&gt;alert(1)&lt;/script&gt;</ins>')
  expect(ofCommit).toMatch(/<del>-export const handler/)
  expect(ofCommit).not.toContain('<script')
  for (const nowhere of ['/', '/shop/other', `/${demoRepository.name}/-/commit/${'0'.repeat(40)}`, `${shown}/..%2f`]) {
    expect((await fetch(host.url + nowhere)).status).toBe(404)
  }
})

withGit('a page that came to it by a name of its own gets nothing', async () => {
  const port = await freePort()
  const host = await started(join(await emptyFolder(), 'kept.git'), port)
  onTestFinished(() => host.stop())
  const status = await new Promise((resolve, reject) => {
    const path = `/${demoRepository.name}.git/info/refs?service=git-upload-pack`
    request({ port, path, headers: { host: 'rebound.example' } }, ({ statusCode }) => resolve(statusCode))
      .on('error', reject)
      .end()
  })
  expect(status).toBe(403)
})

withGit('another user of the machine reads the repository through it, and no other file', async () => {
  const folder = await emptyFolder()
  const written = join(folder, 'written')
  await writeFile(join(folder, 'secret'), 'of the user of the demo')
  const host = await started(join(folder, 'kept.git'), await freePort())
  onTestFinished(() => host.stop())
  const api = `${host.url}/api/v4/projects/${demoRepository.id}/repository`
  const option = encodeURIComponent(`--output=${written}`)
  for (const address of [
    `${api}/files/${encodeURIComponent('../secret')}?ref=main`,
    `${api}/files/${encodeURIComponent(join(folder, 'secret'))}?ref=main`,
    `${api}/files/${option}?ref=main`,
    `${api}/files/README.md?ref=${option}`,
    `${api}/files/%00?ref=main`,
    `${api}/files/%E0%A4%A?ref=main`,
    `${api}/commits/${option}`,
    `${api}/commits?ref_name=${option}..main`,
    `${api}/compare?from=${option}&to=main`,
    `${api}/tree?ref=${option}`,
    `${host.url}/${demoRepository.name}.git/../../secret`,
    `${host.url}/${demoRepository.name}.git/..%2fsecret`,
    `${host.url}/${demoRepository.name}/-/commit/${option}`,
  ]) {
    const answer = await fetch(address)
    expect(answer.status, address).toBe(404)
    expect(await answer.text(), address).not.toContain('of the user of the demo')
  }
  const outside = await fetch(`${api}/tree?ref=main&path=${encodeURIComponent('../..')}`)
  expect(await outside.text()).not.toContain('secret')
  expect(existsSync(written)).toBe(false)
})
