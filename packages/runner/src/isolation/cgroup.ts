import { access, mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { cgroupValues, type Limits } from './limits.ts'

/** Where control groups of programs are made. */
export type Cgroups = { directory: string }

const controllers = ['memory', 'pids', 'cpu']

/**
 * Takes the control group that this process is in (version 2, delegated to it, as by `Delegate=yes` of systemd) for the
 * runner's own use, or says why not. Groups with processes cannot have others with limits below them, so what is in it
 * moves into one beside those of the programs.
 */
export async function openCgroups(root = '/sys/fs/cgroup'): Promise<Cgroups | { missing: string }> {
  const own = /^0::(.*)$/m.exec(await readFile('/proc/self/cgroup', 'utf8').catch(() => ''))?.[1]
  if (own === undefined || !(await isUnified(root)))
    return { missing: 'this machine has no control groups of version 2' }
  const directory = basename(own) === runnersGroup ? join(root, own, '..') : join(root, own)
  try {
    const there = (await readFile(join(directory, 'cgroup.controllers'), 'utf8')).trim().split(' ')
    const absent = controllers.filter((name) => !there.includes(name))
    if (absent.length > 0) return { missing: `its control group has no controller ${absent.join(', ')}` }
    if (directory === root) return { missing: 'it runs in the root of the control groups, which is not its own' }
    const leaf = join(directory, runnersGroup)
    await mkdir(leaf, { recursive: true })
    for (const pid of words(await readFile(join(directory, 'cgroup.procs'), 'utf8'))) {
      await writeFile(join(leaf, 'cgroup.procs'), pid).catch(ifGone)
    }
    await writeFile(join(directory, 'cgroup.subtree_control'), controllers.map((name) => `+${name}`).join(' '))
    return { directory }
  } catch (error) {
    return { missing: `its control group cannot be divided: ${(error as Error).message}` }
  }
}

const runnersGroup = 'sluice.runner'

const isUnified = (root: string): Promise<boolean> =>
  access(join(root, 'cgroup.controllers')).then(
    () => true,
    () => false,
  )

/** Makes the group of a program; answers with its folder. */
export async function makeCgroup({ directory }: Cgroups, name: string, limits: Limits): Promise<string> {
  const group = groupOf(directory, name)
  await mkdir(group, { recursive: true })
  for (const [file, value] of Object.entries(cgroupValues(limits))) await writeFile(join(group, file), value)
  return group
}

/** Kills what is in it and removes it. */
export async function removeCgroup({ directory }: Cgroups, name: string): Promise<void> {
  const group = groupOf(directory, name)
  if (!(await readdir(group).catch(() => undefined))) return
  await writeFile(join(group, 'cgroup.kill'), '1')
  // It may be removed as soon as the kernel has reaped what was in it: milliseconds, tried for some seconds.
  for (let tries = 0; tries < 100; tries++) {
    const isGone = await rmdir(group).then(
      () => true,
      (error) => error.code === 'ENOENT',
    )
    if (isGone) return
    await sleep(50)
  }
}

const groupOf = (directory: string, name: string): string => join(directory, `sluice.${name}`)
const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '')

function ifGone(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ESRCH') throw error
}
