import { execFile, spawn } from 'node:child_process'
import { createHash, timingSafeEqual } from 'node:crypto'
import { cp, mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createGunzip } from 'node:zlib'
import { commitPage, pageHeaders, repositoryPage } from './git-pages.ts'

const execute = promisify(execFile)

/** Only repository of the host. */
export const demoRepository = { id: 1, name: 'shop/greeting', branch: 'main' } as const

/** Address that the host notifies of pushes, and the secret that authenticates it. */
export type Webhook = { url: string; secret: string }

export type DemoGitHost = {
  url: string
  /** Clone URL with the password, for users who push. */
  cloneUrl: string
  /** Sends pushes to a webhook: first those that were not sent yet, then each new one. */
  tellTo(webhook: Webhook): void
  stop(): Promise<void>
}

type Options = {
  port: number
  /** Directory that stores the repository between starts. */
  directory: string
  /**
   * Password for `git push`. It is required because programs of steps and other users of this machine can reach the
   * host.
   */
  password: string
}

/** User name for git. Only the password is checked. */
const pusher = 'demo'

/** Environment of git without the settings of the user who started the demo. */
const environment = {
  PATH: process.env.PATH,
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@sluice.example',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@sluice.example',
}

/** Prefix of refs with the last commit that was sent to the webhook. Clones do not contain them. */
const sentRefs = 'refs/told/'
const heads = 'refs/heads/'
const nothing = '0'.repeat(40)

/** Delay before a failed webhook is sent again, in milliseconds. */
const againMs = 2_000

/**
 * Starts a git host on this machine for the demo. It serves one repository, which anyone can clone and users with the
 * password can push to, implements the part of the GitLab API that pipelines use, and sends pushes to a webhook.
 * Returns undefined if git is not installed.
 */
export async function startGitHost({ port, directory, password }: Options): Promise<DemoGitHost | undefined> {
  const isThere = await madeRepository(directory)
  if (!isThere) return undefined
  const git = async (...args: string[]) =>
    (await execute('git', ['--git-dir', directory, ...args], { env: environment, maxBuffer: mostBytes })).stdout
  const url = `http://127.0.0.1:${port}`
  let webhook: Webhook | undefined
  let telling = Promise.resolve()
  let isStopped = false

  const server = createServer((request, response) => {
    answer(request, response).catch((error: Error) => {
      if (response.headersSent) response.destroy()
      else send(response, 404, { message: `404 Not Found: ${error.message.split('\n')[0]}` })
    })
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve))

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // Rejects host names: a page of another origin could use a name of its own for this address (DNS rebinding).
    if (!isAddress(request.headers.host ?? '')) return send(response, 403, { message: '403 Forbidden' })
    const asked = new URL(request.url ?? '/', url)
    const ofGit = asked.pathname.split(`/${demoRepository.name}.git/`)[1] ?? asked.pathname.split(plainPrefix)[1]
    if (ofGit !== undefined && (await serveGit(request, response, { asked: ofGit, query: asked.searchParams }))) return
    const inApi = /^\/api\/v4\/projects\/([^/]+)(.*)$/.exec(asked.pathname)
    const named = decodeURIComponent(inApi?.[1] ?? '').toLowerCase()
    if (named === demoRepository.name || named === String(demoRepository.id)) {
      return showProject(request, response, { path: inApi?.[2] ?? '', query: asked.searchParams })
    }
    const page = await pageAt(asked.pathname)
    response.writeHead(200, pageHeaders).end(page)
  }

  /** Returns the page at an address of the repository. */
  async function pageAt(path: string): Promise<string> {
    const shown = { ...demoRepository, url: project(url).web_url }
    if (path === `/${demoRepository.name}`) {
      return repositoryPage(shown, await commitsIn('--max-count=50', await commitAt(demoRepository.branch)))
    }
    const id = path.split(`/${demoRepository.name}/-/commit/`)[1] ?? ''
    if (!/^[0-9a-f]{7,40}$/.test(id)) throw new Error(path)
    const [commit] = await commitsIn('--max-count=1', await commitAt(id))
    if (!commit) throw new Error(path)
    return commitPage(shown, commit, await git('show', '--format=', '--stat', '--patch', commit.id, '--'))
  }

  /** Serves git's smart HTTP protocol with git itself. Returns false for other requests. */
  async function serveGit(
    request: IncomingMessage,
    response: ServerResponse,
    { asked, query }: { asked: string; query: URLSearchParams },
  ): Promise<boolean> {
    const isRefs = asked === 'info/refs'
    const service = isRefs ? query.get('service') : asked
    if (service !== 'git-upload-pack' && service !== 'git-receive-pack') return false
    if (!isRefs && request.headers['content-type'] !== `application/x-${service}-request`) return false
    if (service === 'git-receive-pack' && !isOf(request.headers.authorization, password)) {
      const headers = { 'www-authenticate': 'Basic realm="The welcome of the demo shows the address to clone from"' }
      send(response, 401, { message: '401 Unauthorized' }, headers)
      return true
    }
    const name = service.slice('git-'.length)
    const argv = [name, '--stateless-rpc', ...(isRefs ? ['--advertise-refs'] : []), directory]
    const protocol = request.headers['git-protocol']
    const child = spawn('git', argv, {
      env: { ...environment, ...(typeof protocol === 'string' && { GIT_PROTOCOL: protocol }) },
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    const over = new Promise<void>((resolve) => child.once('close', () => resolve()).once('error', () => resolve()))
    child.stdin.on('error', () => {}) // git may exit before it has read everything
    const type = `application/x-${service}-${isRefs ? 'advertisement' : 'result'}`
    response.writeHead(200, { 'content-type': type, 'cache-control': 'no-cache' })
    if (isRefs) {
      const line = `# service=${service}\n`
      response.write(`${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`)
      child.stdin.end()
    } else {
      const body = request.headers['content-encoding'] === 'gzip' ? request.pipe(createGunzip()) : request
      body.on('error', () => child.kill()).pipe(child.stdin)
      request.on('close', () => request.complete || child.kill())
    }
    child.stdout.pipe(response)
    await over
    if (name === 'receive-pack' && !isRefs) tell()
    return true
  }

  async function showProject(
    request: IncomingMessage,
    response: ServerResponse,
    { path, query }: { path: string; query: URLSearchParams },
  ): Promise<void> {
    const page = { 'x-next-page': '' } // everything fits on the first page
    if (path === '') return send(response, 200, project(url))
    const refs = /^\/repository\/(branches|tags)$/.exec(path)?.[1]
    if (refs !== undefined) {
      const listed = await git(
        'for-each-ref',
        '--format=%(refname:lstrip=2) %(objectname) %(*objectname)',
        refs === 'tags' ? 'refs/tags' : heads,
      )
      const shown = lines(listed).map((line) => line.split(' '))
      const all = shown.map(([name, object, commit]) => ({ name, commit: { id: commit || object } }))
      return send(response, 200, all, page)
    }
    const one = /^\/repository\/commits\/([^/]+)$/.exec(path)?.[1]
    if (one !== undefined) {
      const [commit] = await commitsIn('--max-count=1', await commitAt(decodeURIComponent(one)))
      return send(response, 200, commit)
    }
    if (/^\/repository\/commits\/[^/]+\/merge_requests$/.test(path)) return send(response, 200, [], page)
    if (path === '/repository/commits') {
      const [from = '', to = ''] = (query.get('ref_name') ?? '').split('..')
      const found = await commitsIn('--max-count=100', `${await commitAt(from)}..${await commitAt(to)}`)
      return send(response, 200, found, page)
    }
    if (path === '/repository/compare') {
      const [from, to] = await Promise.all([commitAt(query.get('from') ?? ''), commitAt(query.get('to') ?? '')])
      const changed = lines(await git('diff', '--name-only', '--no-renames', from, to, '--'))
      return send(response, 200, { diffs: changed.map((name) => ({ old_path: name, new_path: name })) })
    }
    const at = await commitAt(query.get('ref') ?? 'HEAD')
    if (path === '/repository/tree') {
      const below = query.get('path') ?? ''
      const listed = await git('ls-tree', '-z', at, '--', ...(below === '' ? [] : [`${below}/`]))
      const entries = listed
        .split('\0')
        .filter(Boolean)
        .map((line) => entryOf(line))
      return send(response, 200, entries, page)
    }
    const file = /^\/repository\/files\/([^/]+)$/.exec(path)?.[1]
    if (file === undefined) throw new Error(path)
    const name = decodeURIComponent(file)
    const { stdout } = await execute('git', ['--git-dir', directory, 'cat-file', 'blob', `${at}:${name}`], {
      env: environment,
      maxBuffer: mostBytes,
      encoding: 'buffer',
    })
    const headers = { 'x-gitlab-size': String(stdout.length) }
    if (request.method === 'HEAD') return send(response, 200, undefined, headers)
    return send(response, 200, { file_path: name, encoding: 'base64', content: stdout.toString('base64') }, headers)
  }

  const commitsIn = async (...args: string[]) =>
    (await git('log', `--format=${commitFormat}`, ...args, '--'))
      .split('\0\n')
      .filter(Boolean)
      .map((line) => commitOf(line, url))

  const commitAt = async (ref: string) =>
    (await git('rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`)).trim()

  /** Sends new pushes after the current one. Records what was sent, so that a stop loses no push. */
  function tell(): void {
    telling = telling.then(async () => {
      while (!isStopped && webhook && !(await toldAll(webhook).catch(() => false))) await sleep(againMs)
    })
  }

  async function toldAll(webhook: Webhook): Promise<boolean> {
    const refs = new Map(
      lines(await git('for-each-ref', '--format=%(refname) %(objectname)', heads, sentRefs)).map((line) => {
        const [name = '', commit = ''] = line.split(' ')
        return [name, commit]
      }),
    )
    for (const [ref, after] of refs) {
      if (!ref.startsWith(heads)) continue
      const note = sentRefs + ref.slice(heads.length)
      const before = refs.get(note) ?? nothing
      if (before === after) continue
      const body = JSON.stringify(await pushOf(ref, before, after))
      const headers = {
        'content-type': 'application/json',
        'x-gitlab-token': webhook.secret,
        'x-gitlab-event': 'Push Hook',
      }
      const answered = await fetch(webhook.url, { method: 'POST', headers, body, signal: AbortSignal.timeout(10_000) })
      if (!answered.ok) return false
      await git('update-ref', note, after)
    }
    return true
  }

  /** Returns the payload of a push as GitLab sends it: the last 20 commits with the files that each changed. */
  async function pushOf(ref: string, before: string, after: string): Promise<object> {
    const range = before === nothing ? after : `${before}..${after}`
    const count = Number(await git('rev-list', '--count', range, '--'))
    const listed = lines(await git('rev-list', '--max-count=20', '--reverse', range, '--'))
    const commits = await Promise.all(
      listed.map(async (commit) => {
        const [told] = await commitsIn('--max-count=1', commit)
        if (!told) throw new Error(`there is no commit ${commit}`)
        const { id, message, author_name: name, author_email: email, committed_date: timestamp } = told
        const modified = lines(
          await git('diff-tree', '--root', '-r', '--no-commit-id', '--name-only', '-m', commit, '--'),
        )
        return { id, message, timestamp, author: { name, email }, added: [], modified, removed: [] }
      }),
    )
    return {
      object_kind: 'push',
      ref,
      before,
      after,
      commits,
      total_commits_count: count,
      user_username: commits.at(-1)?.author.name ?? 'somebody',
      project: project(url),
    }
  }

  return {
    url,
    cloneUrl: `${url.replace('//', `//${pusher}:${password}@`)}/${demoRepository.name}.git`,
    tellTo(given) {
      webhook = given
      tell()
    },
    async stop() {
      isStopped = true
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Maximum size of a request in bytes, more than the demo's repository needs. */
const mostBytes = 32 * 1024 * 1024
const plainPrefix = `/${demoRepository.name}/`
const isAddress = (host: string): boolean => /^(localhost|[\d.]+)(:\d+)?$/.test(host)

/** Reports whether basic authentication (RFC 7617) has this password. */
function isOf(authorization: string | undefined, password: string): boolean {
  const [, encoded = ''] = /^Basic ([\w+/=]+)$/i.exec(authorization ?? '') ?? []
  const given = Buffer.from(encoded, 'base64')
    .toString()
    .replace(/^[^:]*:/, '')
  const hashOf = (text: string) => createHash('sha256').update(text).digest()
  return password !== '' && timingSafeEqual(hashOf(given), hashOf(password))
}

const lines = (text: string): string[] => text.split('\n').filter(Boolean)

const project = (url: string) => ({
  id: demoRepository.id,
  path_with_namespace: demoRepository.name,
  web_url: `${url}/${demoRepository.name}`,
  default_branch: demoRepository.branch,
  visibility: 'public',
})

const commitFormat = '%H%x00%an%x00%ae%x00%cI%x00%B%x00'

function commitOf(line: string, url: string) {
  const [id = '', author_name = '', author_email = '', committed_date = '', message = ''] = line.split('\0')
  const web_url = `${url}/${demoRepository.name}/-/commit/${id}`
  return { id, message: message.trimEnd(), author_name, author_email, committed_date, web_url }
}

function entryOf(line: string) {
  const [about = '', path = ''] = line.split('\t')
  const [mode = '', type = '', id = ''] = about.split(' ')
  return { id, mode, type, path, name: path.split('/').at(-1) ?? '' }
}

function send(response: ServerResponse, status: number, body?: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers })
  response.end(body === undefined ? undefined : JSON.stringify(body))
}

/** Creates the repository with its first commit, completely or not at all. Returns false if git is not installed. */
async function madeRepository(directory: string): Promise<boolean> {
  if (await stat(directory).catch(() => undefined)) return true
  const work = await mkdtemp(`${directory}-`)
  const git = (...args: string[]) => execute('git', args, { cwd: work, env: environment })
  try {
    await cp(fileURLToPath(new URL('./repository', import.meta.url)), work, { recursive: true })
    await git('init', '--quiet', '--initial-branch', demoRepository.branch)
    await git('add', '--all')
    await git('commit', '--quiet', '--message', 'A function that greets')
    // The first commit is not reported as a push.
    await git('update-ref', sentRefs + demoRepository.branch, 'HEAD')
    await git('config', 'core.bare', 'true')
    await git('config', 'transfer.hideRefs', sentRefs.slice(0, -1))
    await git('config', 'http.receivepack', 'true')
    await rename(join(work, '.git'), directory)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false
    throw error
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}
