import { hash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import type { OrderedRepository, SourceAccess } from '@sluice/contract/runner-protocol'
import { hostAndPort } from '@sluice/outbound/addresses'
import { AttemptRefused } from '../api/attempt-calls.ts'
import type { Attempt } from '../attempt.ts'
import { CacheFolder, usualCacheBytes } from '../cache-folder.ts'
import type { Isolation } from '../isolation/isolation.ts'
import { usualLimits } from '../isolation/limits.ts'
import { operatorsNetwork } from '../operators-network.ts'
import { createTurns } from './one-at-a-time.ts'
import { SourceTrouble } from './source-trouble.ts'

/** On whose behalf a repository is asked for. */
export type RepositoryUser = Pick<Attempt, 'organizationId' | 'directory' | 'mask' | 'process' | 'stdoutOf'> & {
  calls: Pick<Attempt['calls'], 'sourceAccess'>
}

/** Repositories, kept so that what was fetched once is not fetched again; each organization has its own. */
export type Repositories = {
  /** `root` is a folder of the attempt's directory. */
  checkOut(at: OrderedRepository, root: string, user: RepositoryUser): Promise<{ commit: string; digest: string }>
}

export type RepositoryParts = {
  /** Where they are kept. */
  directory: string
  /** Where git finds what the runner finds at an address. */
  places: Pick<Isolation, 'addressOf' | 'hostOf'>
  /** The most that is checked out. Bytes. */
  mostBytes?: number
  /** The most that is kept. Bytes. */
  cacheBytes?: number
  /** Protocols beside https that addresses in configurations may have, for tests. */
  alsoAllow?: readonly string[]
}

/** Linux has some 90,000. */
const mostFiles = 200_000

const script = fileURLToPath(new URL('./check-out.sh', import.meta.url))
/** Exit codes of the script. */
const notThere = 3
const tooLarge = 4
/** How much of what git says is shown. Characters. */
const shown = 2_000
const shownLines = 20

export function createRepositories(parts: RepositoryParts): Repositories {
  const { directory, places, mostBytes = usualLimits.sourceBytes, alsoAllow = [] } = parts
  const cache = new CacheFolder(directory, parts.cacheBytes ?? usualCacheBytes)
  const oneByOne = createTurns()
  const environment = {
    ...operatorsNetwork(places.addressOf),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'false',
    GIT_LFS_SKIP_SMUDGE: '1',
    LC_ALL: 'C',
  }

  return {
    async checkOut({ url, ref, commit }, root, user) {
      checkedAddress(url, alsoAllow)
      if (ref !== undefined && !refLooks.test(ref)) throw new SourceTrouble(`${JSON.stringify(ref)} is no ref.`)
      // What one organization may read, another may not, though it knows the address and the commit.
      const name = `${hash('sha256', `${user.organizationId} ${url}`, 'hex')}.git`
      const repository = cache.folderOf(name)
      const limits = [mostBytes, mostFiles].map(String)
      const wanted = commit ?? ref ?? 'HEAD'
      const what = wanted === 'HEAD' ? 'its default branch' : wanted

      /** Undefined where the commit is not there yet. */
      async function run(name: string, args: string[], env: Record<string, string> = {}) {
        const said: string[] = []
        const result = await user.process(name, {
          argv: ['/bin/sh', script, repository, root, ...limits, ...args],
          env: { ...environment, ...env },
          readOnly: [script],
          writable: [user.directory, repository],
          keepsStdout: true,
          onLine(line) {
            said.push(line.slice(0, shown))
            if (said.length > shownLines) said.shift() // a host can say things without end
            return undefined
          },
        })
        const exitCode = 'exitCode' in result ? result.exitCode : undefined
        if (exitCode === notThere) return undefined
        const told = said.join('\n').slice(-shown)
        if (exitCode === tooLarge) throw large(`${what} of ${url}`, mostBytes)
        if (exitCode !== 0) throw new SourceTrouble(`${what} of ${url} cannot be fetched.`, told)
        return checkedOut(await user.stdoutOf(name, shown))
      }

      async function fetched() {
        const access = await accessOf(user)
        // The operator may have named a git host by plain http; what a configuration says may not.
        const address = checkedAddress(access.url, ['http', ...alsoAllow])
        const kept = `refs/sluice/${hash('sha256', wanted, 'hex')}`
        const pin = pinnedTo(address, access.addresses.map(places.hostOf))
        const env = { ...access.environment, GIT_ALLOW_PROTOCOL: address.protocol.slice(0, -1) }
        return run('fetch', [wanted, kept, places.addressOf(address.href), pin], env)
      }

      const work = async () => {
        const found = (commit !== undefined && (await run('checkout', [commit]))) || (await fetched())
        if (!found) throw new Error('a fetch was not asked whether something is there')
        return found
      }
      return oneByOne(name, () => cache.use(name, work))
    },
  }
}

function checkedOut(printed: Awaited<ReturnType<Attempt['stdoutOf']>>): { commit: string; digest: string } {
  const text = printed && 'content' in printed ? printed.content.toString() : ''
  const [, commit, digest] = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64})\n$/.exec(text) ?? []
  if (commit === undefined || digest === undefined) throw new SourceTrouble('git does not say what it checked out.')
  return { commit, digest }
}

const large = (what: string, mostBytes: number): SourceTrouble =>
  new SourceTrouble(
    `${what} is too large: a source has at most ${Math.round(mostBytes / 1024 ** 2)} MiB and ${mostFiles} files.`,
    'Keep large files elsewhere, or ask whoever runs the runner to raise SLUICE_RUNNER_SOURCE_MIB.',
  )

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

/** A name must not lead elsewhere the second time that it is asked for. Empty is no pin. */
const pinnedTo = (url: URL, addresses: string[]): string =>
  addresses.length === 0 ? '' : `${hostAndPort(url)}:${addresses.join(',')}`

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
