import { chmod, copyFile, mkdir, readdir, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bundledFile } from './machine.ts'

/**
 * Files of `/etc` for host names, certificates, libraries and time zones. No host keys and no users. Small, stable
 * files are copied at the start of the runner, because each mount slows down a sandbox: bubblewrap rereads the list of
 * mounts each time.
 */
const copiedFiles = [
  'ca-certificates.conf',
  'gai.conf',
  'host.conf',
  'ld.so.conf',
  'localtime',
  'mime.types',
  'nsswitch.conf',
  'protocols',
  'services',
  'timezone',
]
const mountedFiles = ['alternatives', 'crypto-policies', 'hosts', 'ld.so.cache', 'pki', 'resolv.conf', 'ssl']

/**
 * Configuration for finding and verifying images. Not the whole folder, which may contain the machine's registry keys.
 */
const imageFiles = ['containers/policy.json', 'containers/registries.conf']
const shortNames = 'containers/registries.conf.d'

/** Files of Sluice: the program's user, and the name server of a private network. */
const sandboxFiles = ['passwd', 'group', 'passwd-of-root', 'group-of-root']
const networkFiles = ['resolv.conf']

/** The folder that programs see as `/etc`, and the paths that are mounted over it. */
export type Etc = { etc: string; etcMounts: string[] }

/** Creates or updates the folder. It is updated in place, because programs of an earlier start still see it. */
export async function createEtc(directory: string, hasPrivateNetwork: boolean): Promise<Etc> {
  const etc = join(directory, hasPrivateNetwork ? 'etc' : 'etc-of-host')
  await mkdir(etc, { recursive: true })
  await chmod(etc, 0o755)
  const ours = hasPrivateNetwork ? [...sandboxFiles, ...networkFiles] : sandboxFiles
  for (const name of ours) await copyAtomically(bundledFile(`etc/${name}`), join(etc, name))
  await mkdir(join(etc, shortNames), { recursive: true })
  const names = await readdir(join('/etc', shortNames)).catch(() => [])
  for (const name of [...copiedFiles, ...imageFiles, ...names.map((one) => join(shortNames, one))]) {
    await copyAtomically(join('/etc', name), join(etc, name)).catch(() => {}) // does not exist on this machine
  }
  const etcMounts: string[] = []
  for (const name of mountedFiles.filter((one) => !ours.includes(one))) {
    const found = await stat(join('/etc', name)).catch(() => undefined)
    if (!found) continue
    if (found.isDirectory()) await mkdir(join(etc, name), { recursive: true })
    else await writeFile(join(etc, name), '', { flag: 'a' })
    etcMounts.push(join('/etc', name))
  }
  return { etc, etcMounts }
}

async function copyAtomically(from: string, to: string): Promise<void> {
  await copyFile(from, `${to}.new`)
  await chmod(`${to}.new`, 0o644)
  await rename(`${to}.new`, to) // atomic: a program may be reading it
}
