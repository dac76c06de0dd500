import { dirname } from 'node:path'
import type { Program } from './isolation.ts'

/** The parts of this machine that every program can read. */
export type SystemPaths = {
  /** Path of bubblewrap. */
  bwrap: string
  /** System folders, starting with `/usr`. */
  folders: readonly string[]
  /** Symbolic links of the system by path, such as `/bin` to `usr/bin`. */
  links: Readonly<Record<string, string>>
  /** Folder that programs see as `/etc`: see etc.ts. */
  etc: string
  /** Paths in `/etc` of the machine that are mounted over that folder. */
  etcMounts: readonly string[]
  toolFolders: readonly string[]
}

/** User ID of programs inside the sandbox, whatever it is outside: see the folder etc. */
const userId = '1000'
/** Size of `/dev/shm`, which is memory that no limit of a process includes. */
const sharedMemoryBytes = 64 * 1024 * 1024

type SandboxedProgram = Pick<Program, 'cwd' | 'env' | 'writable' | 'temporary' | 'readOnly' | 'isRootInSandbox'>

/**
 * Returns the options of bubblewrap. A program sees only what they list. They are passed in a file, because they
 * contain the environment: command lines are readable by others, and bubblewrap itself must not get the program's
 * environment, since `LD_PRELOAD` would run a tenant's code outside the sandbox.
 */
export function createBubblewrapOptions(system: SystemPaths, program: SandboxedProgram, hasFilter = false): string[] {
  const { folders, links, etc, etcMounts, toolFolders } = system
  return [
    ...namespaces,
    ...(program.isRootInSandbox ? rootOptions : userOptions),
    ...folders.flatMap((path) => ['--ro-bind', path, path]),
    ...Object.entries(links).flatMap(([path, target]) => ['--symlink', target, path]),
    ...['--ro-bind', etc, '/etc'],
    ...etcMounts.flatMap((path) => ['--ro-bind-try', path, path]),
    ...(program.isRootInSandbox ? createRootMounts(etc) : []),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...['--size', String(sharedMemoryBytes), '--tmpfs', '/dev/shm', '--remount-ro', '/dev'],
    ...['--bind', program.temporary, '/tmp'],
    ...toolFolders.flatMap((path) => ['--ro-bind-try', path, path]),
    // Shorter paths first, so that nested folders are mounted over their parents, and read-only over writable.
    ...sortByLength(program.writable).flatMap((path) => ['--bind', path, path]),
    ...sortByLength(program.readOnly).flatMap((path) => ['--ro-bind', path, path]),
    ...(hasFilter ? ['--seccomp', '6'] : []), // file descriptor of the filter, see scripts/launch.sh
    ...['--remount-ro', '/'], // last, because the mount points above are created in it
    ...['--chdir', program.cwd],
    '--clearenv',
    ...Object.entries(program.env).flatMap(([name, value]) => ['--setenv', name, value]),
  ]
}

/**
 * Without `--new-session`, because the runner starts each program in a session without a terminal. Its process group
 * must stay one, so that SIGINT reaches the program. The network is entered before.
 */
const namespaces = [
  '--die-with-parent',
  '--unshare-pid',
  '--unshare-ipc',
  '--unshare-uts',
  '--unshare-cgroup-try',
  ...['--hostname', 'sluice'],
  ...['--cap-drop', 'ALL'],
]

const userOptions = ['--unshare-user', '--disable-userns', '--uid', userId, '--gid', userId]

/**
 * The sandbox is created in the user namespace of the network. At the end the program enters a nested one (file
 * descriptor 8, see scripts/enter-network.sh), so it has no capabilities over its mounts, processes and host name:
 * read-only mounts stay read-only, even in its own mount namespaces. The capabilities are those for unpacking image
 * layers and running programs in them as root.
 */
const rootOptions = [
  ...['--userns2', '8'],
  ...['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL', 'MKNOD', 'NET_BIND_SERVICE'],
  ...['SETFCAP', 'SETGID', 'SETPCAP', 'SETUID', 'SYS_ADMIN', 'SYS_CHROOT'],
].flatMap((word) => (/^[A-Z]/.test(word) ? ['--cap-add', `CAP_${word}`] : [word]))

/** Paths that buildah expects: users, an empty `/sys` to mount, and a folder for large files. */
const createRootMounts = (etc: string): string[] => [
  ...['passwd', 'group'].flatMap((name) => ['--ro-bind', `${etc}/${name}-of-root`, `/etc/${name}`]),
  ...['--dir', '/sys', '--dir', '/var', '--symlink', '../tmp', '/var/tmp'],
]

const sortByLength = (paths: readonly string[]): string[] => paths.toSorted((a, b) => a.length - b.length)

/** Folders that are hidden before the sandbox starts, and paths in them that stay accessible. */
export type HiddenFolders = { hidden: readonly string[]; writable: readonly string[]; readOnly: readonly string[] }

/**
 * Returns the command prefix with which a runner that is root switches to `user`. Folders that only root can enter,
 * such as a data directory, are hidden except for what the program needs.
 */
export const createSwitchUserPrefix = (
  bwrap: string,
  { hidden, writable, readOnly }: HiddenFolders,
  user: number,
): string[] => [
  bwrap,
  '--die-with-parent',
  ...['--dev-bind', '/', '/'],
  ...hidden.flatMap((path) => ['--tmpfs', path]),
  ...listHiddenParents(hidden, [...writable, ...readOnly]).flatMap((path) => ['--perms', '0755', '--dir', path]),
  ...sortByLength(writable).flatMap((path) => ['--bind', path, path]),
  ...sortByLength(readOnly).flatMap((path) => ['--ro-bind', path, path]),
  ...['--cap-drop', 'ALL', '--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID', '--cap-add', 'CAP_SETPCAP'],
  '--',
  'setpriv',
  ...[`--reuid=${user}`, `--regid=${user}`, '--clear-groups'],
  ...['--inh-caps=-all', '--bounding-set=-all', '--no-new-privs'],
  '--',
]

/** Returns the parents of `paths` in hidden folders. bubblewrap would create them for root only. */
function listHiddenParents(hidden: readonly string[], paths: readonly string[]): string[] {
  const folders = new Set<string>()
  for (const path of paths) {
    for (let folder = dirname(path); hidden.some((root) => folder.startsWith(`${root}/`)); folder = dirname(folder)) {
      folders.add(folder)
    }
  }
  return sortByLength([...folders])
}
