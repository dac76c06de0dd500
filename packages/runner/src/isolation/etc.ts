import { chmod, copyFile, mkdir, readdir, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ownFile } from './machine.ts'

/**
 * Of `/etc`, what programs need to find hosts, trust certificates, load libraries and tell the time. No host keys, no
 * users. Those that are small and seldom change are copied when the runner starts: each mount of a sandbox costs as
 * much as all that are there before it, since bubblewrap reads the list of them anew.
 */
const copied = [
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
const bound = ['alternatives', 'crypto-policies', 'hosts', 'ld.so.cache', 'pki', 'resolv.conf', 'ssl']

/**
 * How images are found and trusted, with what short names of them stand for. Nothing else of that folder: a machine's
 * own keys for registries may be in it.
 */
const ofImages = ['containers/policy.json', 'containers/registries.conf']
const shortNames = 'containers/registries.conf.d'

/** Who a program is inside, and how names of hosts are found in a network of its own. */
const own = ['passwd', 'group', 'passwd-of-root', 'group-of-root']
const ownForNetwork = ['resolv.conf']

/** What is to be seen of `/etc`: a folder that is made for it, and what is bound over that. */
export type Etc = { etc: string; fromEtc: string[] }

/** Makes the folder, in one of the runner's. Programs that an earlier start has begun still look at it. */
export async function composeEtc(directory: string, hasOwnNetwork: boolean): Promise<Etc> {
  const etc = join(directory, hasOwnNetwork ? 'etc' : 'etc-of-host')
  await mkdir(etc, { recursive: true })
  await chmod(etc, 0o755)
  const ours = hasOwnNetwork ? [...own, ...ownForNetwork] : own
  for (const name of ours) await put(ownFile(`etc/${name}`), join(etc, name))
  await mkdir(join(etc, shortNames), { recursive: true })
  const names = await readdir(join('/etc', shortNames)).catch(() => [])
  for (const name of [...copied, ...ofImages, ...names.map((one) => join(shortNames, one))]) {
    await put(join('/etc', name), join(etc, name)).catch(() => {}) // there is none here
  }
  const fromEtc: string[] = []
  for (const name of bound.filter((one) => !ours.includes(one))) {
    const found = await stat(join('/etc', name)).catch(() => undefined)
    if (!found) continue
    if (found.isDirectory()) await mkdir(join(etc, name), { recursive: true })
    else await writeFile(join(etc, name), '', { flag: 'a' })
    fromEtc.push(join('/etc', name))
  }
  return { etc, fromEtc }
}

async function put(from: string, to: string): Promise<void> {
  await copyFile(from, `${to}.new`)
  await chmod(`${to}.new`, 0o644)
  await rename(`${to}.new`, to) // in one go: somebody may be reading it
}
