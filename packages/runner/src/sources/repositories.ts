import { hash } from 'node:crypto'
import { access, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { OrderedRepository, SourceAccess } from '@sluice/contract/runner-protocol'
import { AttemptRefused } from '../api/attempt-calls.ts'
import type { Attempt } from '../attempt.ts'
import { operatorsNetwork } from '../operators-network.ts'
import { capture } from './capture.ts'
import { createTurns } from './one-at-a-time.ts'
import { SourceTrouble } from './source-trouble.ts'

/** On whose behalf a repository is asked for. */
export type RepositoryUser = Pick<Attempt, 'organizationId' | 'signal' | 'mask'> & {
  calls: Pick<Attempt['calls'], 'sourceAccess'>
}

/** Repositories, kept so that what was fetched once is not fetched again; each organization has its own. */
export type Repositories = {
  checkOut(at: OrderedRepository, root: string, user: RepositoryUser): Promise<{ commit: string; digest: string }>
}

export type RepositoryParts = {
  /** Where they are kept. */
  directory: string
  /** Protocols beside https, for tests. */
  alsoAllow?: readonly string[]
}

/**
 * Whatever a repository says of hooks, submodules and filters, nothing of it is run: all that git knows is on this
 * command line. Redirects would lead past the guard.
 */
const settings = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['credential.helper', ''],
  ['submodule.recurse', 'false'],
  ['fetch.recurseSubmodules', 'false'],
  ['http.followRedirects', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
].flatMap(([name, value]) => ['-c', `${name}=${value}`])

export function createRepositories({ directory, alsoAllow = [] }: RepositoryParts): Repositories {
  const oneByOne = createTurns()
  const env = {
    ...operatorsNetwork(),
    PATH: process.env.PATH ?? '',
    HOME: directory,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'false',
    GIT_ALLOW_PROTOCOL: ['https', ...alsoAllow].join(':'),
    GIT_LFS_SKIP_SMUDGE: '1',
    LC_ALL: 'C',
  }

  async function git(args: string[], signal: AbortSignal, more: Record<string, string> = {}): Promise<string> {
    const { stdout, stderr, exitCode } = await capture(['git', ...settings, ...args], {
      cwd: directory,
      env: { ...env, ...more },
      signal,
    })
    if (exitCode === 0) return stdout.trim()
    throw new SourceTrouble(`git ${args.find((arg) => !arg.startsWith('-'))} failed.`, stderr.trim().slice(-2_000))
  }

  return {
    async checkOut({ url, ref, commit }, root, user) {
      const { organizationId, signal } = user
      checkedAddress(url, alsoAllow)
      if (ref !== undefined && !refLooks.test(ref)) throw new SourceTrouble(`${JSON.stringify(ref)} is no ref.`)
      // What one organization may read, another may not, though it knows the address and the commit.
      const repository = join(directory, `${hash('sha256', `${organizationId} ${url}`, 'hex')}.git`)
      return oneByOne(repository, async () => {
        if (!(await exists(join(repository, 'HEAD')))) {
          await mkdir(directory, { recursive: true, mode: 0o700 })
          await git(['init', '--bare', '--quiet', repository], signal)
        }
        const inIt = (args: string[], more?: Record<string, string>) =>
          git([`--git-dir=${repository}`, ...args], signal, more)
        const found = commit !== undefined && (await has(inIt, commit)) ? commit : await fetched(inIt)
        const tree = await inIt(['rev-parse', `${found}^{tree}`])
        const GIT_INDEX_FILE = `${root}.index`
        await inIt(['read-tree', found], { GIT_INDEX_FILE })
        await inIt([`--work-tree=${root}`, 'checkout-index', '--all', '--force', `--prefix=${root}/`], {
          GIT_INDEX_FILE,
        })
        await rm(GIT_INDEX_FILE, { force: true })
        return { commit: found, digest: tree }
      })

      async function fetched(inIt: InRepository): Promise<string> {
        const access = await accessOf(user)
        const address = checkedAddress(access.url, alsoAllow)
        const pinned = pinnedTo(address, access.addresses)
        const wanted = commit ?? ref ?? 'HEAD'
        const kept = `refs/sluice/${hash('sha256', wanted, 'hex')}`
        const options = ['--depth=1', '--no-tags', '--force', '--quiet', '--no-write-fetch-head']
        try {
          await inIt([...pinned, 'fetch', ...options, '--', address.href, `+${wanted}:${kept}`], access.environment)
        } catch (error) {
          if (!(error instanceof SourceTrouble)) throw error
          const what = wanted === 'HEAD' ? 'its default branch' : wanted
          throw new SourceTrouble(`${what} of ${url} cannot be fetched.`, error.said)
        }
        return inIt(['rev-parse', `${kept}^{commit}`])
      }
    },
  }
}

/** Where it may be fetched from, which the API says at the moment of the fetch. */
async function accessOf({ calls, mask }: RepositoryUser): Promise<SourceAccess> {
  try {
    const access = await calls.sourceAccess()
    for (const secret of access.secrets) mask(secret)
    return access
  } catch (error) {
    if (!(error instanceof AttemptRefused)) throw error
    throw new SourceTrouble(error.message, error.error.description)
  }
}

type InRepository = (args: string[], more?: Record<string, string>) => Promise<string>

/** A name must not lead elsewhere the second time that it is asked for. */
const pinnedTo = ({ hostname, port }: URL, addresses: string[]): string[] =>
  addresses.length === 0 ? [] : ['-c', `http.curloptResolve=${hostname}:${port || 443}:${addresses.join(',')}`]

/** A branch, a tag or a commit, and nothing that git takes for an option, a range or a pattern. */
const refLooks = /^(?!.*(?:\.\.|@\{|\/\/))[A-Za-z0-9_][A-Za-z0-9_./+@#-]{0,254}$/

function checkedAddress(url: string, alsoAllow: readonly string[]): URL {
  const address = URL.canParse(url) ? new URL(url) : undefined
  const isAllowed = address && ['https', ...alsoAllow].includes(address.protocol.slice(0, -1))
  if (!isAllowed || address.username !== '' || address.password !== '') {
    throw new SourceTrouble(`${JSON.stringify(url)} is not the address of a repository by https, without credentials.`)
  }
  return address
}

async function has(inIt: (args: string[]) => Promise<string>, commit: string): Promise<boolean> {
  try {
    await inIt(['cat-file', '-e', `${commit}^{tree}`])
    return true
  } catch (error) {
    if (error instanceof SourceTrouble) return false
    throw error
  }
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )
