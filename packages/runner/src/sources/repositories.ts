import { hash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import type { OrderedRepository, SourceAccess } from '@sluice/contract/runner-protocol'
import { hostAndPort } from '@sluice/outbound/addresses'
import { AttemptRejected } from '../api/attempt-client.ts'
import type { Attempt } from '../attempt.ts'
import { CacheFolder, defaultCacheBytes } from '../cache-folder.ts'
import type { Isolation } from '../isolation/isolation.ts'
import { defaultLimits } from '../isolation/limits.ts'
import { readNetworkEnvironment } from '../network-environment.ts'
import { createKeyedQueue } from './keyed-queue.ts'
import { SourceError } from './source-error.ts'

/** The attempt that a repository is checked out for. */
export type RepositoryUser = Pick<Attempt, 'organizationId' | 'directory' | 'mask' | 'runProgram' | 'readStdout'> & {
  api: Pick<Attempt['api'], 'requestSourceAccess'>
}

/** Cache of repositories, separate for each organization. */
export type Repositories = {
  /** Checks out a repository. `root` must be a folder in the attempt's directory. */
  checkOut(at: OrderedRepository, root: string, user: RepositoryUser): Promise<{ commit: string; digest: string }>
}

export type RepositoryParts = {
  /** Folder of the cache. */
  directory: string
  /** Rewrites addresses of the runner to those that git can reach. */
  addresses: Pick<Isolation, 'rewriteUrl' | 'rewriteHost'>
  /** Maximum size of a checkout. */
  maxBytes?: number
  /** Size limit of the cache. */
  cacheBytes?: number
  /** Protocols to accept in addition to HTTPS, for tests. */
  extraProtocols?: readonly string[]
}

/** Generous: Linux has some 90,000 files. */
const maxFiles = 200_000

const script = fileURLToPath(new URL('./check-out.sh', import.meta.url))
/** Exit codes of the script. */
const missingCommitExitCode = 3
const tooLargeExitCode = 4
/** Maximum output of git in an error. */
const maxShownCharacters = 2_000
const maxShownLines = 20

export function createRepositories(parts: RepositoryParts): Repositories {
  const { directory, addresses, maxBytes = defaultLimits.sourceBytes, extraProtocols = [] } = parts
  const cache = new CacheFolder(directory, parts.cacheBytes ?? defaultCacheBytes)
  const oneByOne = createKeyedQueue()
  const environment = {
    ...readNetworkEnvironment(addresses.rewriteUrl),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'false',
    GIT_LFS_SKIP_SMUDGE: '1',
    LC_ALL: 'C',
  }

  return {
    async checkOut({ url, ref, commit }, root, user) {
      parseAddress(url, extraProtocols)
      if (ref !== undefined && !refPattern.test(ref))
        throw new SourceError(`Invalid ref ${JSON.stringify(ref)}: use the name of a branch or tag, or a commit.`)
      // Per organization: knowing the address and the commit does not give another organization access.
      const name = `${hash('sha256', `${user.organizationId} ${url}`, 'hex')}.git`
      const repository = cache.folderOf(name)
      const limits = [maxBytes, maxFiles].map(String)
      const wanted = commit ?? ref ?? 'HEAD'
      const what = wanted === 'HEAD' ? 'the default branch' : wanted

      /** Returns undefined if the cached repository does not have the commit. */
      async function run(name: string, args: string[], env: Record<string, string> = {}) {
        const said: string[] = []
        const result = await user.runProgram(name, {
          argv: ['/bin/sh', script, repository, root, ...limits, ...args],
          env: { ...environment, ...env },
          readOnly: [script],
          writable: [user.directory, repository],
          capturesStdout: true,
          onLine(line) {
            said.push(line.slice(0, maxShownCharacters))
            if (said.length > maxShownLines) said.shift() // bounded, because a host can print any amount
            return undefined
          },
        })
        const exitCode = 'exitCode' in result ? result.exitCode : undefined
        if (exitCode === missingCommitExitCode) return undefined
        const told = said.join('\n').slice(-maxShownCharacters)
        if (exitCode === tooLargeExitCode) throw createTooLargeError(`${what} of ${url}`, maxBytes)
        if (exitCode !== 0) throw new SourceError(`Cannot fetch ${what} of ${url}.`, told)
        return parseCheckout(await user.readStdout(name, maxShownCharacters))
      }

      async function fetched() {
        const access = await requestAccess(user)
        // Only the operator may configure a git host without TLS.
        const address = parseAddress(access.url, ['http', ...extraProtocols])
        const kept = `refs/sluice/${hash('sha256', wanted, 'hex')}`
        const pin = createPin(address, access.addresses.map(addresses.rewriteHost))
        const env = { ...access.environment, GIT_ALLOW_PROTOCOL: address.protocol.slice(0, -1) }
        return run('fetch', [wanted, kept, addresses.rewriteUrl(address.href), pin], env)
      }

      const work = async () => {
        const found = (commit !== undefined && (await run('checkout', [commit]))) || (await fetched())
        if (!found) throw new Error('a fetch reported a missing commit')
        return found
      }
      return oneByOne(name, () => cache.use(name, work))
    },
  }
}

function parseCheckout(printed: Awaited<ReturnType<Attempt['readStdout']>>): { commit: string; digest: string } {
  const text = printed && 'content' in printed ? printed.content.toString() : ''
  const [, commit, digest] = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64})\n$/.exec(text) ?? []
  if (commit === undefined || digest === undefined) throw new SourceError('Cannot read which commit git checked out.')
  return { commit, digest }
}

const createTooLargeError = (what: string, maxBytes: number): SourceError =>
  new SourceError(
    `${what} is too large: a source can have at most ${Math.round(maxBytes / 1024 ** 2)} MiB and ${maxFiles} files.`,
    'Store large files elsewhere, or ask the operator of the runner to raise SLUICE_RUNNER_SOURCE_MIB.',
  )

/** Requests the URL and credentials for a fetch from the API, right before the fetch because they expire. */
async function requestAccess({ api, mask }: RepositoryUser): Promise<SourceAccess> {
  try {
    const access = await api.requestSourceAccess()
    for (const secret of access.secrets) mask(secret)
    return access
  } catch (error) {
    if (!(error instanceof AttemptRejected)) throw error
    throw new SourceError(error.message, error.error.description)
  }
}

/** Returns a pin of the host to checked addresses, so that it cannot be resolved to others later. Empty for no pin. */
const createPin = (url: URL, addresses: string[]): string =>
  addresses.length === 0 ? '' : `${hostAndPort(url)}:${addresses.join(',')}`

/** Accepts branches, tags and commits, but nothing that git would parse as an option, a range or a pattern. */
const refPattern = /^(?!.*(?:\.\.|@\{|\/\/))[A-Za-z0-9_][A-Za-z0-9_./+@#-]{0,254}$/

function parseAddress(url: string, alsoAllow: readonly string[]): URL {
  const address = URL.canParse(url) ? new URL(url) : undefined
  const isAllowed = address && ['https', ...alsoAllow].includes(address.protocol.slice(0, -1))
  if (!isAllowed || address.username !== '' || address.password !== '') {
    throw new SourceError(`Invalid repository URL ${JSON.stringify(url)}: use an HTTPS URL without credentials.`)
  }
  return address
}
