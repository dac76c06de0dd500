import { execFile, execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Reason why this machine cannot serve repositories; empty if it can. */
export const gitIsMissing: string = (() => {
  try {
    const path = execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim()
    return existsSync(join(path, 'git-http-backend')) ? '' : 'skipped: git http-backend'
  } catch {
    return 'skipped: git'
  }
})()

/** Real Git repository on disk. */
export interface ServedRepository {
  directory: string
  commit: string
  remove(): Promise<void>
}

export async function createRepository(files: Record<string, string>): Promise<ServedRepository> {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-repository-'))
  const git = (...args: string[]) =>
    run('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], { cwd: directory })
  await git('init', '--quiet', '--initial-branch', 'main')
  for (const [name, content] of Object.entries(files)) await writeFile(join(directory, name), content)
  await git('add', '.')
  await git('commit', '--quiet', '--message', 'First')
  const { stdout } = await git('rev-parse', 'HEAD')
  return { directory, commit: stdout.trim(), remove: () => rm(directory, { recursive: true, force: true }) }
}

interface Service {
  /** URL path under which the repository is served. */
  path: string
  repository: ServedRepository
  isPublic: boolean
  mayRead: (user: string, password: string) => boolean
}

/** Serves the Git protocol with `git-http-backend`, behind a password. */
export function serveGit(request: IncomingMessage, response: ServerResponse, service: Service): void {
  const { pathname, search } = new URL(request.url ?? '/', 'http://fake')
  const basic = (request.headers.authorization ?? '').replace(/^Basic /, '')
  const [user = '', ...password] = Buffer.from(basic, 'base64').toString().split(':')
  if (!(service.isPublic && basic === '') && !service.mayRead(user, password.join(':'))) {
    response.writeHead(401, { 'www-authenticate': 'Basic realm="Git"' }).end('HTTP Basic: Access denied\n')
    return
  }
  const backend = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: service.repository.directory,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: `/.git${pathname.slice(service.path.length)}`,
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'],
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'],
      HTTP_GIT_PROTOCOL: request.headers['git-protocol'] as string | undefined,
    },
  })
  request.pipe(backend.stdin)
  const parts: Buffer[] = []
  backend.stdout.on('data', (part: Buffer) => parts.push(part))
  backend.on('close', () => {
    const output = Buffer.concat(parts)
    const end = output.indexOf('\r\n\r\n')
    const headers = output.subarray(0, end).toString().split('\r\n')
    for (const header of headers) {
      const [name = '', ...value] = header.split(': ')
      if (name === 'Status') response.statusCode = Number(value[0]?.slice(0, 3))
      else response.setHeader(name, value.join(': '))
    }
    response.end(output.subarray(end + 4))
  })
}
