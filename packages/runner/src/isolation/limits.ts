/** What one attempt may use. */
export type Limits = {
  /** Of all its processes together where control groups are to be had, else of each, and watched for all. Bytes. */
  memoryBytes: number
  /** Processes and threads together. */
  processes: number
  /** Processor cores; only where control groups are to be had. */
  cpus: number
  /** Of its folders together; no single file may be larger either. Bytes. */
  diskBytes: number
  /** Files and folders of its folders together. */
  files: number
  /** Files that a process has open at a time. */
  openFiles: number
  /** Of a repository that is checked out. Bytes. */
  sourceBytes: number
}

const giB = 1024 ** 3

/** Roomy for an apply of a large stack: a provider of a large cloud takes about 1 GiB and some twenty threads. */
export const usualLimits: Omit<Limits, 'cpus'> = {
  memoryBytes: 4 * giB,
  processes: 1024,
  diskBytes: 10 * giB,
  files: 1_000_000,
  openFiles: 16_384,
  sourceBytes: giB, // configurations are small; this has room for what somebody keeps beside them
}

/** The hard limits that the runner itself has: nobody may raise them again. Infinity where there is none. */
export type Ceilings = {
  nproc: number
  nofile: number
  fsize: number
  data: number
  core: number
  sigpending: number
  msgqueue: number
}

/** The kernel counts these for each user, whichever namespace it is in: an attempt that took all would stop others. */
const ofUser = { sigpending: 4_096, msgqueue: 65_536 }

/**
 * Limits for each process, as options of `prlimit`. `data` is what a process can write to of its own: the address space
 * as a whole says nothing, since runtimes such as Go's and V8's reserve far more of it than they ever use.
 */
export function prlimitOptions(limits: Limits, ceilings: Ceilings): string[] {
  const wanted: Ceilings = {
    nproc: limits.processes,
    nofile: limits.openFiles,
    fsize: limits.diskBytes,
    data: limits.memoryBytes,
    // 1, not 0: with 0 the kernel still hands the dump to a program that `core_pattern` names. core(5), read
    // 2026-11-23.
    core: 1,
    ...ofUser,
  }
  return Object.entries(wanted).map(([name, value]) => `--${name}=${Math.min(value, ceilings[name as keyof Ceilings])}`)
}

const rows: Record<keyof Ceilings, RegExp> = {
  nproc: /^Max processes +\S+ +(\S+)/m,
  nofile: /^Max open files +\S+ +(\S+)/m,
  fsize: /^Max file size +\S+ +(\S+)/m,
  data: /^Max data size +\S+ +(\S+)/m,
  core: /^Max core file size +\S+ +(\S+)/m,
  sigpending: /^Max pending signals +\S+ +(\S+)/m,
  msgqueue: /^Max msgqueue size +\S+ +(\S+)/m,
}

/** Reads `/proc/<pid>/limits`. */
export function ceilingsIn(text: string): Ceilings {
  const hard = (name: keyof Ceilings): number => {
    const value = Number(rows[name].exec(text)?.[1])
    return Number.isNaN(value) ? Number.POSITIVE_INFINITY : value // `unlimited`
  }
  return {
    nproc: hard('nproc'),
    nofile: hard('nofile'),
    fsize: hard('fsize'),
    data: hard('data'),
    core: hard('core'),
    sigpending: hard('sigpending'),
    msgqueue: hard('msgqueue'),
  }
}

/** Limits for all processes together: what to write into which file of a control group, version 2. */
export const cgroupValues = ({ memoryBytes, processes, cpus }: Limits): Record<string, string> => ({
  'memory.max': String(memoryBytes),
  'memory.swap.max': '0',
  'memory.oom.group': '1', // what is left of a program when the kernel has taken a part of it is no program
  'pids.max': String(processes),
  'cpu.max': `${Math.round(cpus * 100_000)} 100000`, // microseconds of processor time in each 100 ms
})
