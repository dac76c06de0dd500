import { type ChildProcess, spawn } from 'node:child_process'
import { lookup } from 'node:dns/promises'
import { constants } from 'node:fs'
import { access, mkdir, mkdtemp, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { openCgroups } from './cgroup.ts'
import { composeEtc } from './etc.ts'
import { findRange } from './ids.ts'
import type { Isolation, IsolationSettings, Program } from './isolation.ts'
import { ownAddresses, ownCeilings, systemOf, systemProgram } from './machine.ts'
import { networkRules } from './network.ts'
import { clearNetworks } from './networks.ts'
import { notIsolated } from './none.ts'
import { Sandbox, type SandboxParts } from './sandbox.ts'
import { systemCallFilter } from './seccomp.ts'
import { findUsers } from './users.ts'

/** A start takes tens of milliseconds; this is for a machine that is very busy. Milliseconds. */
const trialMs = 30_000
const tun = '/dev/net/tun'

/**
 * Finds out what this machine can do, by trying it, and answers with how programs are started here.
 * @throws where the settings demand what cannot be had
 */
export async function openIsolation(settings: IsolationSettings): Promise<Isolation> {
  if (settings.wish === 'none') return notIsolated(['SLUICE_RUNNER_ISOLATION is none'])
  const sandbox = await openSandbox(settings)
  if (!('missing' in sandbox)) return sandbox
  if (settings.wish === 'auto') return notIsolated([sandbox.missing])
  throw new Error(`SLUICE_RUNNER_ISOLATION is bubblewrap, but ${sandbox.missing}.`)
}

async function openSandbox(settings: IsolationSettings): Promise<Sandbox | { missing: string }> {
  if (process.platform !== 'linux') return { missing: `bubblewrap is for Linux, and this is ${process.platform}` }
  const bwrap = await systemProgram('bwrap')
  if (bwrap === undefined) return { missing: 'the package bubblewrap is not installed' }
  await mkdir(settings.directory, { recursive: true, mode: 0o700 })
  const cgroups = await openCgroups()
  const { found: toolFolders, absent } = await withRealPaths(settings.toolFolders)
  const users = process.getuid?.() === 0 ? findUsers(await ownIdMaps()) : undefined
  const parts: SandboxParts = {
    system: await systemOf(bwrap, toolFolders, await composeEtc(settings.directory, false)),
    limits: settings.limits,
    ceilings: await ownCeilings(),
    cgroups: 'missing' in cgroups ? undefined : cgroups,
    ownNetwork: undefined,
    users,
    filter: await writeFilter(settings.directory),
    range: await findRange(),
    notes: [
      ...('missing' in cgroups ? [`limits on memory are for each process and watched, as ${cgroups.missing}`] : []),
      ...(users?.count === 1
        ? ['programs of all attempts are one user, as there are no ids beyond those of people']
        : []),
      ...absent.map((path) => `programs do not find ${path}, which is not there`),
    ],
  }
  const { network, directory } = settings
  const own = network === 'host' ? undefined : await withOwnNetwork(parts, settings)
  if (own instanceof Sandbox) return own // the rest of it works, then
  const trouble = await troubleOf(new Sandbox(parts), directory)
  if (trouble !== undefined) return { missing: `bubblewrap does not work here: ${trouble}` }
  if (!own) return new Sandbox(parts)
  if (network === 'own') throw new Error(`SLUICE_RUNNER_NETWORK is own, but ${own.missing}.`)
  return new Sandbox({ ...parts, notes: [...parts.notes, `programs share this machine's network, as ${own.missing}`] })
}

const ownIdMaps = () => Promise.all(['uid', 'gid'].map((kind) => readFile(`/proc/self/${kind}_map`, 'utf8')))

/** Writes the filter of system calls where starts of programs find it. */
async function writeFilter(directory: string): Promise<string | undefined> {
  const filter = systemCallFilter()
  if (!filter) return undefined
  const file = join(directory, 'system-calls.bpf')
  await writeFile(`${file}.new`, filter)
  await rename(`${file}.new`, file) // in one go: a program of an earlier start may be reading it
  return file
}

async function withOwnNetwork(
  parts: SandboxParts,
  { url, endpoints, directory }: IsolationSettings,
): Promise<Sandbox | { missing: string }> {
  const kept = join(directory, 'networks')
  await clearNetworks(kept)
  const rules = networkRules(endpoints, ownAddresses(), await onThisMachine(url))
  const ownParts: SandboxParts = {
    ...parts,
    system: { ...parts.system, ...(await composeEtc(directory, true)) },
    ownNetwork: { rules, directory: kept },
  }
  const own = new Sandbox(ownParts)
  const trouble = (await missingForNetwork()) ?? (await troubleOf(own, directory))
  if (trouble !== undefined) return { missing: trouble }
  const ofRange = own.withoutRange === undefined ? await troubleOf(own, directory, { isRootInside: true }) : undefined
  if (ofRange === undefined) return own
  return new Sandbox({ ...ownParts, range: { missing: `its range of user ids does not work: ${ofRange}` } })
}

/** Where the API is, when it is on this machine and called by one of its outer addresses. */
async function onThisMachine(url: string): Promise<{ address: string; port: string }[]> {
  const { hostname, port, protocol } = new URL(url)
  const own = new Set(ownAddresses())
  const found = await lookup(hostname.replace(/^\[(.*)\]$/, '$1'), { all: true }).catch(() => [])
  const usual = protocol === 'https:' ? '443' : '80'
  return found.filter(({ address }) => own.has(address)).map(({ address }) => ({ address, port: port || usual }))
}

/** Folders by the path that they are known by, and by that where they are. */
async function withRealPaths(paths: readonly string[]): Promise<{ found: string[]; absent: string[] }> {
  const real = await Promise.all(paths.map((path) => realpath(path).catch(() => undefined)))
  const found = paths.flatMap((path, index) => {
    const is = real[index]
    return is === undefined ? [] : [path, is]
  })
  return { found: [...new Set(found)], absent: paths.filter((_, index) => real[index] === undefined) }
}

async function missingForNetwork(): Promise<string | undefined> {
  const needed = { slirp4netns: 'slirp4netns', ip: 'iproute2' }
  for (const [program, name] of Object.entries(needed)) {
    if ((await systemProgram(program)) === undefined) return `the package ${name} is not installed`
  }
  return missingTun()
}

/** slirp4netns carries a network through it as the user of programs. udev makes it 0666; some images do not. */
async function missingTun(): Promise<string | undefined> {
  const found = await stat(tun).catch(() => undefined)
  if (found === undefined) return `there is no ${tun}`
  const isOpenForOthers = (found.mode & 0o006) === 0o006
  const isOpen = process.getuid?.() === 0 ? isOpenForOthers : await isReadableAndWritable(tun)
  return isOpen ? undefined : `${tun} is not open for the user of programs (chmod 0666 ${tun})`
}

const isReadableAndWritable = (file: string) =>
  access(file, constants.R_OK | constants.W_OK).then(
    () => true,
    () => false,
  )

/** Starts a program that does nothing; answers with what went wrong. */
async function troubleOf(
  sandbox: Sandbox,
  directory: string,
  more: Pick<Program, 'isRootInside'> = {},
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
    return await endOf(child)
  } catch (error) {
    return (error as Error).message
  } finally {
    await sandbox.release(records)
    await rm(trial, { recursive: true, force: true })
  }
}

async function endOf(
  child: ChildProcess & { stderr: NonNullable<ChildProcess['stderr']> },
): Promise<string | undefined> {
  const { promise: ended, resolve, reject } = Promise.withResolvers<number | null>()
  child.once('error', reject)
  child.once('exit', resolve)
  const timer = setTimeout(() => child.pid !== undefined && process.kill(-child.pid, 'SIGKILL'), trialMs)
  const said = text(child.stderr)
  const exitCode = await ended.finally(() => clearTimeout(timer))
  if (exitCode === 0) return undefined
  return (await said).trim() || (exitCode === null ? `a trial took more than ${trialMs} ms` : `exit code ${exitCode}`)
}
