import { type ChildProcess, spawn } from 'node:child_process'
import { lookup } from 'node:dns/promises'
import { constants } from 'node:fs'
import { access, mkdir, mkdtemp, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { openCgroups } from './cgroup.ts'
import { createEtc } from './etc.ts'
import { findIdRange } from './ids.ts'
import type { Isolation, IsolationSettings, Program } from './isolation.ts'
import { findSystemPaths, findSystemProgram, listMachineAddresses, readHardLimits } from './machine.ts'
import { createNetworkRules } from './network.ts'
import { removeOldNetworks } from './network-pool.ts'
import { createNoIsolation } from './none.ts'
import { Sandbox, type SandboxParts } from './sandbox.ts'
import { createSystemCallFilter } from './seccomp.ts'
import { findUsers } from './users.ts'

/** Generous: starting a program takes tens of milliseconds on an idle machine. */
const trialTimeoutMs = 30_000
const tun = '/dev/net/tun'

/**
 * Tests what this machine supports and returns the isolation to use.
 * @throws if the settings require what the machine does not support
 */
export async function openIsolation(settings: IsolationSettings): Promise<Isolation> {
  if (settings.mode === 'none') return createNoIsolation(['SLUICE_RUNNER_ISOLATION is none'])
  const sandbox = await openSandbox(settings)
  if (!('missing' in sandbox)) return sandbox
  if (settings.mode === 'auto') return createNoIsolation([sandbox.missing])
  throw new Error(`SLUICE_RUNNER_ISOLATION is bubblewrap, but ${sandbox.missing}.`)
}

async function openSandbox(settings: IsolationSettings): Promise<Sandbox | { missing: string }> {
  if (process.platform !== 'linux')
    return { missing: `bubblewrap requires Linux, and this machine runs ${process.platform}` }
  const bwrap = await findSystemProgram('bwrap')
  if (bwrap === undefined) return { missing: 'the package bubblewrap is not installed' }
  await mkdir(settings.directory, { recursive: true, mode: 0o700 })
  const cgroups = await openCgroups()
  const { found: toolFolders, absent } = await resolveFolders(settings.toolFolders)
  const users = process.getuid?.() === 0 ? findUsers(await readIdMaps()) : undefined
  const parts: SandboxParts = {
    system: await findSystemPaths(bwrap, toolFolders, await createEtc(settings.directory, false)),
    limits: settings.limits,
    hardLimits: await readHardLimits(),
    cgroups: 'missing' in cgroups ? undefined : cgroups,
    privateNetwork: undefined,
    users,
    filter: await writeFilter(settings.directory),
    range: await findIdRange(),
    notes: [
      ...('missing' in cgroups
        ? [`memory limits apply to each process and the total is polled, because ${cgroups.missing}`]
        : []),
      ...(users?.count === 1
        ? ['programs of all attempts share one user, because the runner has no IDs to allocate']
        : []),
      ...absent.map((path) => `${path} does not exist, so programs cannot use it`),
    ],
  }
  const { network, directory } = settings
  const own = network === 'host' ? undefined : await openPrivateNetwork(parts, settings)
  if (own instanceof Sandbox) return own // tested together with the rest
  const trouble = await tryProgram(new Sandbox(parts), directory)
  if (trouble !== undefined) return { missing: `bubblewrap does not work here: ${trouble}` }
  if (!own) return new Sandbox(parts)
  if (network === 'own') throw new Error(`SLUICE_RUNNER_NETWORK is own, but ${own.missing}.`)
  return new Sandbox({
    ...parts,
    notes: [...parts.notes, `programs share this machine's network, because ${own.missing}`],
  })
}

const readIdMaps = () => Promise.all(['uid', 'gid'].map((kind) => readFile(`/proc/self/${kind}_map`, 'utf8')))

/** Writes the filter of system calls to a file for starts of programs. */
async function writeFilter(directory: string): Promise<string | undefined> {
  const filter = createSystemCallFilter()
  if (!filter) return undefined
  const file = join(directory, 'system-calls.bpf')
  await writeFile(`${file}.new`, filter)
  await rename(`${file}.new`, file) // atomic: an earlier start may be reading it
  return file
}

async function openPrivateNetwork(
  parts: SandboxParts,
  { url, endpoints, directory }: IsolationSettings,
): Promise<Sandbox | { missing: string }> {
  const kept = join(directory, 'networks')
  await removeOldNetworks(kept)
  const rules = createNetworkRules(endpoints, listMachineAddresses(), await findLocalAddresses(url))
  const ownParts: SandboxParts = {
    ...parts,
    system: { ...parts.system, ...(await createEtc(directory, true)) },
    privateNetwork: { rules, directory: kept },
  }
  const own = new Sandbox(ownParts)
  const trouble = (await findNetworkProblem()) ?? (await tryProgram(own, directory))
  if (trouble !== undefined) return { missing: trouble }
  const ofRange =
    own.idRangeProblem === undefined ? await tryProgram(own, directory, { isRootInSandbox: true }) : undefined
  if (ofRange === undefined) return own
  return new Sandbox({ ...ownParts, range: { missing: `the range of user IDs does not work: ${ofRange}` } })
}

/** Returns the addresses of the API if it is on this machine and not at loopback. */
async function findLocalAddresses(url: string): Promise<{ address: string; port: string }[]> {
  const { hostname, port, protocol } = new URL(url)
  const own = new Set(listMachineAddresses())
  const found = await lookup(hostname.replace(/^\[(.*)\]$/, '$1'), { all: true }).catch(() => [])
  const usual = protocol === 'https:' ? '443' : '80'
  return found.filter(({ address }) => own.has(address)).map(({ address }) => ({ address, port: port || usual }))
}

/** Returns folders by their given and their real paths, and those that do not exist. */
async function resolveFolders(paths: readonly string[]): Promise<{ found: string[]; absent: string[] }> {
  const real = await Promise.all(paths.map((path) => realpath(path).catch(() => undefined)))
  const found = paths.flatMap((path, index) => {
    const is = real[index]
    return is === undefined ? [] : [path, is]
  })
  return { found: [...new Set(found)], absent: paths.filter((_, index) => real[index] === undefined) }
}

async function findNetworkProblem(): Promise<string | undefined> {
  const needed = { slirp4netns: 'slirp4netns', ip: 'iproute2' }
  for (const [program, name] of Object.entries(needed)) {
    if ((await findSystemProgram(program)) === undefined) return `the package ${name} is not installed`
  }
  return findTunProblem()
}

/** slirp4netns opens the device as the user of programs. udev sets mode 0666; some images do not. */
async function findTunProblem(): Promise<string | undefined> {
  const found = await stat(tun).catch(() => undefined)
  if (found === undefined) return `${tun} does not exist`
  const isOpenForOthers = (found.mode & 0o006) === 0o006
  const isOpen = process.getuid?.() === 0 ? isOpenForOthers : await isReadableAndWritable(tun)
  return isOpen ? undefined : `the user of programs cannot open ${tun} (run chmod 0666 ${tun})`
}

const isReadableAndWritable = (file: string) =>
  access(file, constants.R_OK | constants.W_OK).then(
    () => true,
    () => false,
  )

/** Starts a program that does nothing. Returns the error, or undefined on success. */
async function tryProgram(
  sandbox: Sandbox,
  directory: string,
  more: Pick<Program, 'isRootInSandbox'> = {},
): Promise<string | undefined> {
  const trial = await realpath(await mkdtemp(join(directory, 'trial-')))
  const [records, work, temporary] = ['records', 'work', 'tmp'].map((name) => join(trial, name)) as [
    string,
    string,
    string,
  ]
  try {
    for (const folder of [records, work, temporary]) await mkdir(folder, { mode: 0o700 })
    const program = {
      organizationId: '',
      attempt: trial,
      records,
      writable: [work],
      temporary,
      cwd: work,
      readOnly: [],
      env: {},
      ...more,
    }
    const { argv, cwd, env } = await sandbox.wrap({ ...program, argv: ['/usr/bin/true'] })
    const [file, ...args] = argv
    const child = spawn(file, args, { cwd, env, detached: true, stdio: ['ignore', 'ignore', 'pipe'] })
    return await waitForExit(child)
  } catch (error) {
    return (error as Error).message
  } finally {
    await sandbox.release(records)
    await rm(trial, { recursive: true, force: true })
  }
}

async function waitForExit(
  child: ChildProcess & { stderr: NonNullable<ChildProcess['stderr']> },
): Promise<string | undefined> {
  const { promise: ended, resolve, reject } = Promise.withResolvers<number | null>()
  child.once('error', reject)
  child.once('exit', resolve)
  const timer = setTimeout(() => child.pid !== undefined && process.kill(-child.pid, 'SIGKILL'), trialTimeoutMs)
  const said = text(child.stderr)
  const exitCode = await ended.finally(() => clearTimeout(timer))
  if (exitCode === 0) return undefined
  return (
    (await said).trim() ||
    (exitCode === null ? `a trial program timed out after ${trialTimeoutMs} ms` : `exit code ${exitCode}`)
  )
}
