import { randomBytes } from 'node:crypto'
import { access, chmod, mkdir, mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Isolation, IsolationSettings } from '../src/isolation/isolation.ts'
import { defaultLimits, type Limits } from '../src/isolation/limits.ts'
import { openIsolation } from '../src/isolation/open.ts'
import { removeFolder } from '../src/remove-folder.ts'
import { type Installation, startInstallation } from './installation.ts'
import { type RunningProgram, startTenantProgram, waitUntil } from './tenant.ts'

const miB = 1024 ** 2
/** Small limits, so that exceeding them harms nothing. */
const limits: Limits = {
  ...defaultLimits,
  memoryBytes: 256 * miB,
  processes: 80,
  cpus: 1,
  diskBytes: 64 * miB,
  files: 2_000,
}

/** Why the suite cannot run on this machine; undefined if it can. */
export const skipReason = await access('/usr/bin/bwrap').then(
  () => undefined,
  () => 'skipped: bubblewrap',
)

/** An installation, the isolation of a runner on the same machine, and a program of tenant A that runs all the time. */
export type HostileEnvironment = AsyncDisposable & {
  installation: Installation
  isolation: Isolation
  /** Settings of the isolation. */
  settings: IsolationSettings
  /** Parent of the attempts' folders. */
  directory: string
  /** Plugins of the organization. */
  pluginCache: string
  /** The running program of tenant A. */
  neighbour: RunningProgram
  /** Secrets of the installation, the runner and tenant A, which tenant B must never read. */
  secrets: string[]
  /** Resolves with whether tenant A's program and the installation still work. */
  isUnharmed(): Promise<boolean>
}

export async function startHostileEnvironment(): Promise<HostileEnvironment> {
  await using begun = new AsyncDisposableStack() // cleans up if the rest fails
  const root = await mkdtemp(join(tmpdir(), 'sluice-hostile-'))
  begun.defer(() => removeFolder(root))
  await chmod(root, 0o711)
  const installation = begun.use(await startInstallation(root))
  // Below the data directory, which only the user of the service can enter, as for the embedded runner. Not the same
  // folder: a runner that starts removes the networks there that no program uses yet.
  const directory = join(installation.dataDir, 'other-runner')
  const pluginCache = join(installation.dataDir, 'plugins')
  for (const folder of [directory, pluginCache]) await mkdir(folder, { recursive: true, mode: 0o700 })
  const runnerToken = secret()
  process.env.SLUICE_RUNNER_TOKEN = runnerToken // as in the environment of a runner
  begun.defer(() => {
    delete process.env.SLUICE_RUNNER_TOKEN
  })
  const { host } = new URL(installation.url)
  const settings = {
    mode: 'bubblewrap',
    network: 'auto',
    limits,
    toolFolders: [],
    endpoints: [host],
    url: installation.url,
    directory,
  } as const
  const isolation = await openIsolation(settings)
  const [inEnvironment, inFile] = [secret(), secret()]
  const neighbour = await startTenantProgram(isolation, directory, heartbeat, {
    organizationId: 'org_a',
    env: { NEIGHBOURS_SECRET: inEnvironment },
    files: { 'secret.txt': inFile },
  })
  begun.defer(async () => {
    neighbour.signal('SIGKILL')
    await neighbour.ended
  })
  await waitUntil('tenant A to work', async () => (await beats(neighbour)) > 0)
  const running = begun.move()
  return {
    installation,
    isolation,
    settings,
    directory,
    pluginCache,
    neighbour,
    secrets: [...installation.secrets, runnerToken, inEnvironment, inFile],
    async isUnharmed() {
      const before = await beats(neighbour)
      await waitUntil('tenant A to continue', async () => (await beats(neighbour)) > before)
      const file = await readFile(join(neighbour.work, 'secret.txt'), 'utf8')
      return file === inFile && (await installation.isHealthy())
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

/** Computes, writes and reads a file, and prints a line each time. */
const heartbeat = 'while :; do date >beat && cat beat >/dev/null && echo beat; sleep 0.05; done'

const beats = async (running: RunningProgram): Promise<number> => (await running.output()).split('beat\n').length - 1

const secret = (): string => `hostile-${randomBytes(16).toString('hex')}`
