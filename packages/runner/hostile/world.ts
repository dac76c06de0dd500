import { randomBytes } from 'node:crypto'
import { access, chmod, mkdir, mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Isolation, IsolationSettings } from '../src/isolation/isolation.ts'
import { type Limits, usualLimits } from '../src/isolation/limits.ts'
import { openIsolation } from '../src/isolation/open.ts'
import { removeFolder } from '../src/remove-folder.ts'
import { type Installation, startInstallation } from './installation.ts'
import { type Running, startTenant, until } from './tenant.ts'

const miB = 1024 ** 2
/** Small, so that going beyond them hurts nobody. */
const limits: Limits = {
  ...usualLimits,
  memoryBytes: 256 * miB,
  processes: 80,
  cpus: 1,
  diskBytes: 64 * miB,
  files: 2_000,
}

/** Why the suite cannot be run here; undefined where it can. */
export const missing = await access('/usr/bin/bwrap').then(
  () => undefined,
  () => 'skipped: bubblewrap',
)

/** An installation, a runner's isolation beside it, and a program of tenant A that works all the while. */
export type HostileWorld = AsyncDisposable & {
  installation: Installation
  isolation: Isolation
  /** What it was opened with. */
  settings: IsolationSettings
  /** Where attempts are. */
  directory: string
  /** Plug-ins that Sluice has fetched for the organization. */
  pluginCache: string
  /** The program of tenant A. */
  neighbour: Running
  /** All that tenant B must never read: the installation's, the runner's and tenant A's. */
  secrets: string[]
  /** Holds when tenant A's program works on, undisturbed, and the installation serves. */
  isUnharmed(): Promise<boolean>
}

export async function startHostileWorld(): Promise<HostileWorld> {
  await using begun = new AsyncDisposableStack() // what has begun ends also where the rest fails
  const root = await mkdtemp(join(tmpdir(), 'sluice-hostile-'))
  begun.defer(() => removeFolder(root))
  await chmod(root, 0o711)
  const installation = begun.use(await startInstallation(root))
  // As the embedded runner has them: below the data directory, which only the service's user may enter.
  const directory = join(installation.dataDir, 'runner')
  const pluginCache = join(installation.dataDir, 'plugins')
  for (const folder of [directory, pluginCache]) await mkdir(folder, { recursive: true, mode: 0o700 })
  const runnerToken = secret()
  process.env.SLUICE_RUNNER_TOKEN = runnerToken // as it is in the environment of a runner
  begun.defer(() => {
    delete process.env.SLUICE_RUNNER_TOKEN
  })
  const { host } = new URL(installation.url)
  const settings = {
    wish: 'bubblewrap',
    network: 'auto',
    limits,
    toolFolders: [],
    endpoints: [host],
    url: installation.url,
    directory,
  } as const
  const isolation = await openIsolation(settings)
  const [inEnvironment, inFile] = [secret(), secret()]
  const neighbour = await startTenant(isolation, directory, heartbeat, {
    organizationId: 'org_a',
    env: { NEIGHBOURS_SECRET: inEnvironment },
    files: { 'secret.txt': inFile },
  })
  begun.defer(async () => {
    neighbour.signal('SIGKILL')
    await neighbour.ended
  })
  await until('tenant A to work', async () => (await beats(neighbour)) > 0)
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
      await until('tenant A to go on', async () => (await beats(neighbour)) > before)
      const file = await readFile(join(neighbour.work, 'secret.txt'), 'utf8')
      return file === inFile && (await installation.isWell())
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

/** Works: computes, writes, reads what it wrote, and tells of it. */
const heartbeat = 'while :; do date >beat && cat beat >/dev/null && echo beat; sleep 0.05; done'

const beats = async (running: Running): Promise<number> => (await running.said()).split('beat\n').length - 1

const secret = (): string => `hostile-${randomBytes(16).toString('hex')}`
