import { access, mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createCgroupValues, type Limits } from './limits.ts'

/** Parent folder of the programs' control groups. */
export type Cgroups = { directory: string }

const controllers = ['memory', 'pids', 'cpu']

/**
 * Opens the control group of this process (version 2, delegated to it, as by `Delegate=yes` of systemd), or returns why
 * it is unusable. A group with processes cannot have child groups with limits, so its processes move to a child group.
 */
export async function openCgroups(root = '/sys/fs/cgroup'): Promise<Cgroups | { missing: string }> {
  const own = /^0::(.*)$/m.exec(await readFile('/proc/self/cgroup', 'utf8').catch(() => ''))?.[1]
  if (own === undefined || !(await isUnified(root)))
    return { missing: 'this machine has no control groups of version 2' }
  const directory = basename(own) === runnerGroup ? join(root, own, '..') : join(root, own)
  try {
    const there = (await readFile(join(directory, 'cgroup.controllers'), 'utf8')).trim().split(' ')
    const absent = controllers.filter((name) => !there.includes(name))
    if (absent.length > 0) return { missing: `the control group of the runner has no controller ${absent.join(', ')}` }
    if (directory === root) return { missing: 'the runner is in the root control group, which is not delegated to it' }
    const leaf = join(directory, runnerGroup)
    await mkdir(leaf, { recursive: true })
    for (const pid of words(await readFile(join(directory, 'cgroup.procs'), 'utf8'))) {
      await writeFile(join(leaf, 'cgroup.procs'), pid).catch(ignoreMissingProcess)
    }
    await writeFile(join(directory, 'cgroup.subtree_control'), controllers.map((name) => `+${name}`).join(' '))
    return { directory }
  } catch (error) {
    return { missing: `the control group of the runner cannot have child groups: ${(error as Error).message}` }
  }
}

const runnerGroup = 'sluice.runner'

const isUnified = (root: string): Promise<boolean> =>
  access(join(root, 'cgroup.controllers')).then(
    () => true,
    () => false,
  )

/** Creates the control group of a program. Returns its folder. */
export async function createCgroup({ directory }: Cgroups, name: string, limits: Limits): Promise<string> {
  const group = groupPath(directory, name)
  await mkdir(group, { recursive: true })
  for (const [file, value] of Object.entries(createCgroupValues(limits))) await writeFile(join(group, file), value)
  return group
}

/** Kills the processes of a group and removes it. */
export async function removeCgroup({ directory }: Cgroups, name: string): Promise<void> {
  const group = groupPath(directory, name)
  if (!(await readdir(group).catch(() => undefined))) return
  await writeFile(join(group, 'cgroup.kill'), '1')
  // Removable as soon as the kernel has reaped the processes, which takes milliseconds. Retries for five seconds.
  for (let tries = 0; tries < 100; tries++) {
    const isGone = await rmdir(group).then(
      () => true,
      (error) => error.code === 'ENOENT',
    )
    if (isGone) return
    await sleep(50)
  }
}

const groupPath = (directory: string, name: string): string => join(directory, `sluice.${name}`)
const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '')

function ignoreMissingProcess(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ESRCH') throw error
}
