import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { access, chmod, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { everyCase } from '../../../testing/every-case.ts'
import type { Isolation } from '../src/isolation/isolation.ts'
import { defaultLimits } from '../src/isolation/limits.ts'
import { openIsolation } from '../src/isolation/open.ts'
import { createAttempt } from '../src/programs/attempt.fixture.ts'
import { removeAttempt } from '../src/programs/programs.ts'
import { removeFolder } from '../src/remove-folder.ts'
import { checkOut } from '../src/sources/checkout.ts'
import { createRepositories } from '../src/sources/repositories.ts'
import { skipReason } from './environment.ts'

const miB = 1024 ** 2
const timeoutMs = 60_000

let directory: string
/** Folder of repositories that the sandbox can read, as on a git host. */
let hosted: string
/** File that code of a repository would create. */
let mark: string
let isolation: Isolation

beforeAll(async () => {
  if (skipReason) return
  directory = await mkdtemp(join(tmpdir(), 'sluice-hostile-git-'))
  hosted = join(directory, 'hosted')
  mark = join(hosted, 'mark')
  await mkdir(hosted)
  for (const folder of [directory, hosted]) await chmod(folder, 0o777)
  isolation = await openIsolation({
    mode: 'bubblewrap',
    network: 'host',
    toolFolders: [hosted],
    endpoints: [],
    url: 'http://127.0.0.1:1',
    limits: { ...defaultLimits, memoryBytes: 256 * miB, diskBytes: 64 * miB, files: 5_000, cpus: 1 },
    directory: join(directory, 'runner'),
  })
  await writeFile(join(hosted, 'config'), '[safe]\n\tdirectory = *\n[uploadpack]\n\tallowAnySHA1InWant = true\n')
}, 60_000)
afterAll(() => directory && removeFolder(directory))

const identity = ['-c', 'user.name=Eve', '-c', 'user.email=eve@example.com', '-c', 'core.protectNTFS=false']

/** A hostile repository; `make` prepares its commit. */
class Hosted {
  readonly folder: string
  constructor(folder: string) {
    this.folder = folder
  }

  git = (args: string[], input?: string | Buffer): string =>
    execFileSync('git', [...identity, ...args], {
      cwd: this.folder,
      encoding: 'utf8',
      input,
      stdio: ['pipe', 'pipe', 'ignore'],
    }).trim()

  async write(path: string, content: string | Buffer): Promise<void> {
    await mkdir(join(this.folder, path, '..'), { recursive: true })
    await writeFile(join(this.folder, path), content)
  }

  commitAll(): void {
    this.git(['add', '--all', '--force'])
    this.git(['commit', '--quiet', '--message', 'evil'])
  }

  /** Commits entries that git itself would reject. */
  commitTree(entries: readonly { mode: string; name: string; id: string }[]): void {
    const tree = this.tree(entries)
    this.git(['update-ref', 'HEAD', this.git(['commit-tree', tree, '-m', 'evil'])])
  }

  tree(entries: readonly { mode: string; name: string; id: string }[]): string {
    const bytes = entries.map(({ mode, name, id }) =>
      Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]),
    )
    return this.git(['hash-object', '-t', 'tree', '-w', '--literally', '--stdin'], Buffer.concat(bytes))
  }

  blob = (content: string): string => this.git(['hash-object', '-w', '--stdin'], content)
}

async function repository(make: (one: Hosted) => Promise<void> | void): Promise<string> {
  const folder = await mkdtemp(join(hosted, 'repository-'))
  await chmod(folder, 0o755)
  const one = new Hosted(folder)
  one.git(['init', '--quiet', '--initial-branch=main'])
  await make(one)
  return folder
}

/** Checks out a URL as a step does. Returns the files or the error. */
async function checkedOut(url: string): Promise<{ files: string[] } | { trouble: string }> {
  const place = await mkdtemp(join(directory, 'attempt-'))
  const own = await createAttempt(place, isolation)
  const environment = { GIT_CONFIG_GLOBAL: join(hosted, 'config') }
  const requestSourceAccess = async () => ({ url, environment, addresses: [], secrets: [] })
  const attempt = { ...own, organizationId: 'org_b', mask: () => {}, api: { requestSourceAccess } }
  const kept = {
    directory: join(place, 'kept'),
    addresses: isolation,
    extraProtocols: ['file', 'http'],
    maxBytes: 16 * miB,
  }
  const root = join(own.directory, 'source')
  try {
    await checkOut({ url, basePath: '.' }, root, { repositories: createRepositories(kept), attempt })
    return { files: (await readdir(root, { recursive: true })).sort() }
  } catch (error) {
    return { trouble: (error as Error).message }
  } finally {
    await removeAttempt(place, { afterIntMs: 300, afterTermMs: 300 }, isolation)
  }
}

const wasRun = () =>
  access(mark).then(
    () => true,
    () => false,
  )

type Outcome = { files: string[] } | { trouble: string }

describe.skipIf(skipReason)(`a hostile repository${skipReason ? ` [${skipReason}]` : ''}`, () => {
  const touch = () => `touch ${mark}`
  const cases: [string, (one: Hosted) => Promise<void> | void, Outcome][] = [
    [
      'with filters, which git would run',
      async (one) => {
        await one.write('.gitattributes', '* filter=evil diff=evil merge=evil\n*.bin filter=lfs\n')
        await one.write('.gitconfig', `[filter "evil"]\n\tsmudge = ${touch()}\n\trequired = true\n`)
        await one.write(
          'large.bin',
          `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 9\n`,
        )
        one.commitAll()
      },
      { files: ['.gitattributes', '.gitconfig', 'large.bin'] },
    ],
    [
      'with hooks and a file system monitor',
      async (one) => {
        for (const hook of ['post-checkout', 'post-index-change', 'reference-transaction', 'pre-auto-gc']) {
          await one.write(`.git/hooks/${hook}`, `#!/bin/sh\n${touch()}\n`)
          await chmod(join(one.folder, '.git/hooks', hook), 0o755)
        }
        one.git(['config', 'uploadpack.packObjectsHook', join(one.folder, '.git/hooks/post-checkout')])
        await one.write('a', 'a')
        spawnSync('git', [...identity, 'add', 'a'], { cwd: one.folder })
        spawnSync('git', [...identity, '-c', 'core.hooksPath=/dev/null', 'commit', '--quiet', '-m', 'a'], {
          cwd: one.folder,
        })
        await rm(mark, { force: true })
      },
      { files: ['a'] },
    ],
    [
      'with submodules that are local paths or options',
      async (one) => {
        await one.write(
          '.gitmodules',
          `[submodule "x"]\n\tpath = x\n\turl = ext::sh -c ${touch()}\n\tupdate = !${touch()}\n[submodule "-u${touch()}"]\n\tpath = y\n\turl = file://${hosted}\n`,
        )
        const own = { mode: '100644', name: '.gitmodules', id: one.git(['hash-object', '-w', '.gitmodules']) }
        one.commitTree([
          own,
          { mode: '160000', name: 'x', id: '1'.repeat(40) },
          { mode: '160000', name: 'y', id: '2'.repeat(40) },
        ])
      },
      { files: ['.gitmodules', 'x', 'y'] },
    ],
    [
      'with a tree that points outside of its folder',
      (one) => {
        const inner = one.tree([{ mode: '100644', name: 'escaped', id: one.blob('evil') }])
        one.commitTree([{ mode: '40000', name: '..', id: inner }])
      },
      { trouble: expect.stringContaining('Cannot fetch') as unknown as string },
    ],
    [
      'with a configuration of git in its tree',
      (one) => {
        const config = one.blob(`[core]\n\tfsmonitor = ${touch()}\n\thooksPath = /\n`)
        one.commitTree([
          { mode: '40000', name: '.git', id: one.tree([{ mode: '100644', name: 'config', id: config }]) },
        ])
      },
      { trouble: expect.stringContaining('Cannot fetch') as unknown as string },
    ],
    [
      'with a link to another folder, and a file below it',
      (one) => {
        const link = one.blob('/etc')
        const inner = one.tree([{ mode: '100644', name: 'passwd', id: one.blob('evil') }])
        one.commitTree([
          { mode: '120000', name: 'out', id: link },
          { mode: '40000', name: 'out', id: inner },
        ])
      },
      { files: ['out', 'out/passwd'] }, // a folder: git has replaced the link
    ],
    [
      'with a link to the runner',
      async (one) => {
        await symlink('../../programs', join(one.folder, 'up'))
        one.commitAll()
      },
      { trouble: expect.stringContaining('points outside of the repository') as unknown as string },
    ],
    [
      'nested deeper than the longest path',
      (one) => {
        let id = one.blob('a')
        for (let depth = 0; depth < 3_000; depth += 1)
          id = one.tree([{ mode: depth === 0 ? '100644' : '40000', name: 'deep', id }])
        one.commitTree([{ mode: '40000', name: 'deep', id }])
      },
      { trouble: expect.stringContaining('Cannot fetch') as unknown as string },
    ],
    [
      'with the same large file at a thousand paths',
      (one) => {
        const id = one.blob('x'.repeat(100_000))
        one.commitTree(Array.from({ length: 1_000 }, (_, n) => ({ mode: '100644', name: `f${1_000 + n}`, id })))
      },
      { trouble: expect.stringContaining('is too large') as unknown as string },
    ],
  ]

  test(
    'runs no code, writes nothing outside and stays below the size limit',
    everyCase(cases, async (_, make, expected) => {
      const found = await checkedOut(`file://${await repository(make)}`)
      expect(found).toEqual(expected)
      expect(await wasRun()).toBe(false)
    }),
    600_000,
  )
})

describe.skipIf(skipReason)(`a hostile git host${skipReason ? ` [${skipReason}]` : ''}`, () => {
  async function serving(answer: RequestListener): Promise<{ server: Server; url: string }> {
    const server = createServer(answer).listen(0, '127.0.0.1')
    await once(server, 'listening')
    return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
  }
  const line = (text: string) => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`
  const advertised = `${line('# service=git-upload-pack\n')}0000${line(`${'1'.repeat(40)} HEAD\0multi_ack\n`)}`

  test(
    'cannot redirect git or exhaust resources',
    everyCase(
      [
        [
          'redirects to another address',
          (inner: string): RequestListener =>
            (_, reply) =>
              reply.writeHead(302, { location: inner }).end(),
        ],
        ['does not speak the git protocol', (): RequestListener => (_, reply) => reply.end('<html>')],
        [
          'sends unlimited refs',
          (): RequestListener => (_, reply) => {
            reply.setHeader('content-type', 'application/x-git-upload-pack-advertisement')
            reply.write(advertised)
            const refs = Array.from({ length: 1_000 }, (_, n) =>
              line(`${'1'.repeat(40)} refs/heads/${'x'.repeat(800)}${n}\n`),
            )
            const more = () => {
              while (reply.write(refs.join('')));
            }
            reply.on('drain', more)
            more()
          },
        ],
      ] as const,
      async (_, answer) => {
        let reached = 0
        const inner = await serving((_, reply) => {
          reached += 1
          reply.end('secret')
        })
        const host = await serving(answer(`${inner.url}/latest/meta-data`))
        const found = await checkedOut(`${host.url}/acme/web.git`)
        for (const { server } of [inner, host]) {
          server.closeAllConnections()
          server.close()
        }
        expect(found).toEqual({ trouble: expect.stringContaining('Cannot fetch') })
        expect(reached).toBe(0)
      },
    ),
    timeoutMs * 3,
  )
})
