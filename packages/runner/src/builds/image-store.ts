import { join } from 'node:path'
import type { Attempt } from '../attempt.ts'

/**
 * Who builds images: root of a sandbox with a range of IDs (`sandbox`). Without a sandbox: root (`root`), or the
 * runner's user with a range of IDs in a user namespace (`range`).
 */
export type BuilderType = 'sandbox' | 'root' | 'range'

/** Image store of an attempt. */
export type ImageStore = {
  root: string
  /** `overlay` shares the files of common layers. `vfs` works everywhere, but copies all files for each layer. */
  driver: 'vfs' | 'overlay'
}

/** Returns a store that is removed with the attempt. */
export const createTemporaryStore = ({ folders }: Pick<Attempt, 'folders'>): ImageStore => ({
  root: join(folders.internal, 'storage'),
  driver: 'vfs',
})

/** Returns buildah's options for a store. `run` is for state that is valid until the machine restarts. */
export const createStoreOptions = ({ root, driver }: ImageStore, run: string): string[] => [
  ...['--root', root, '--runroot', run, '--storage-driver', driver],
  // Otherwise its folder is a mount point while it is in use and cannot be moved or removed.
  ...(driver === 'overlay' ? ['--storage-opt', 'overlay.skip_mount_home=true'] : []),
]

/** Returns the command prefix that gives a command its own mounts, which end with it. */
export const createMountsPrefix = (as: BuilderType): [string, ...string[]] =>
  as === 'range' ? ['buildah', 'unshare'] : ['unshare', '--mount']
