import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ArtifactThere, ImageBuildOrder, ImagePush, PublishImage } from '@sluice/contract/runner-protocol'
import type { Attempt, Command } from '../attempt.ts'
import { StepFailure } from '../failure.ts'
import type { Isolation } from '../isolation/isolation.ts'
import { readResult } from '../isolation/read-result.ts'
import { endOfLog } from '../log/last-lines.ts'
import { findBuilder } from './image-machine.ts'
import { nixpacked, railpacked } from './packers.ts'
import { runWithin } from './run-within.ts'
import { type BuildsAs, inOwnMounts, inStore, type Store, storeOf } from './store.ts'

/** @throws {StepFailure} where the machine cannot build images, with what to set up */
export async function expectImageTool(isolation: Pick<Isolation, 'kind' | 'withoutRange'>): Promise<BuildsAs> {
  const builder = await findBuilder(isolation)
  if (typeof builder === 'string') return builder
  throw new StepFailure('buildToolMissing', `The runner cannot build images: ${builder.missing}.`, {
    description:
      'A runner builds images with the packages buildah, uidmap, util-linux and mount, in sandboxes with networks of their own, as a user that /etc/subuid and /etc/subgid give a range of ids. On a machine or in a container that may have no sandboxes and that nothing else is on, with SLUICE_RUNNER_ISOLATION=none, where root needs no range. Or give the step an execution environment in a cloud account, whose build service builds images.',
    metadata: { tool: 'buildah' },
  })
}

const runIn = ({ folders }: Attempt): string => join(folders.apart, 'run')

/**
 * The attempt as it builds an image: in a sandbox, its programs are root there, and write also where its store is. That
 * they have a range of ids already is for buildah to know.
 */
export const imageAttempt = (attempt: Attempt, as: BuildsAs): Attempt =>
  as !== 'sandbox'
    ? attempt
    : {
        ...attempt,
        process: (name, command) =>
          attempt.process(name, {
            ...command,
            env: { ...command.env, _CONTAINERS_USERNS_CONFIGURED: '1' },
            writable: [attempt.directory, attempt.folders.apart],
            readOnly: [attempt.folders.given],
            isRootInside: true,
          }),
      }

const imageFile = 'image'

/** How an image is built. No value is on a command line: others on the machine read those. */
export function imageOptions(order: ImageBuildOrder): string[] {
  const { target, isInjected, secrets } = order
  const names = Object.keys(order.arguments)
  return [
    ...['--isolation', 'chroot'],
    // Who may call chroot within one is out of it: with an open folder of the first, below the second.
    ...['--cap-drop', 'CAP_SYS_CHROOT'],
    ...['--file', join('.', order.dockerfile)],
    ...(target === undefined ? [] : ['--target', target]),
    ...names.flatMap((name) => ['--build-arg', name]),
    ...(isInjected ? names.flatMap((name) => ['--env', name]) : []),
    ...Object.keys(secrets).flatMap((name) => ['--secret', `id=${name},env=${name}`]),
  ]
}

/**
 * Starts what follows with processes, devices and files of `/proc` of its own: what a Dockerfile runs neither sees nor
 * signals the runner, has none of the machine's disks, and is gone with the build, whatever it left behind.
 */
const apartFromMachine = ({ folders }: Attempt, as: BuildsAs): string[] => [
  // In a namespace of its own the user is root, and others are those of its range: what follows takes rights of root.
  ...(as === 'range' ? ['buildah', 'unshare'] : []),
  ...(as === 'sandbox'
    ? ['unshare', '--mount'] // the rest it has
    : ['unshare', '--pid', '--ipc', '--fork', '--kill-child', '--mount-proc']),
  ...['/bin/sh', '-c', ownDevices, 'sh', join(folders.apart, 'dev')],
]

/** Only what programs take for granted; the disks of a machine where the runner is root are there otherwise. */
const ownDevices = `set -e
dev=$1; shift
mkdir -p "$dev"
mount -t tmpfs -o mode=0755,size=64k tmpfs "$dev"
for name in null zero full random urandom tty; do
  : >"$dev/$name"
  mount --bind "/dev/$name" "$dev/$name"
done
mkdir -p "$dev/shm" "$dev/pts"
mount -t tmpfs -o size=64m tmpfs "$dev/shm"
ln -sfn /proc/self/fd "$dev/fd"
mount --rbind "$dev" /dev
exec "$@"`

/** What was built: its id in the store, and how many steps on the base image were taken from layers that were there. */
export type Built = { image: string; steps: number; reused: number }

type BuiltIn = { cwd: string; as: BuildsAs; store?: Store }

/** Builds an image of the files in a folder. */
export async function builtImage(
  attempt: Attempt,
  order: ImageBuildOrder,
  { cwd, as, store = storeOf(attempt) }: BuiltIn,
): Promise<Built> {
  const { packer, ...given } = order
  if (!packer) return builtOfDockerfile(attempt, given, { cwd, as, store })
  const starter = apartFromMachine(attempt, as)
  if (packer.tool === 'nixpacks') {
    const packed = await nixpacked(attempt, { ...order, packer }, cwd, starter)
    return builtOfDockerfile(attempt, packed.order, { cwd: packed.cwd, as, store })
  }
  const file = await railpacked(attempt, { ...order, packer }, cwd, starter)
  return { image: await taken(attempt, file, { as, store }), steps: 0, reused: 0 }
}

/** Takes an image that lies in a file into the store. */
async function taken(attempt: Attempt, file: string, { as, store }: Omit<Required<BuiltIn>, 'cwd'>): Promise<string> {
  const name = 'pull'
  const options = [...inStore(store, runIn(attempt)), 'pull', '--quiet', `oci-archive:${file}`]
  const command: Command = { argv: [...inOwnMounts(as), 'buildah', ...options], keepsStdout: true }
  await runWithin(attempt, name, command, undefined)
  const said = await attempt.stdoutOf(name, 1_024)
  return idIn(attempt, said && 'content' in said ? said.content.toString() : '')
}

async function builtOfDockerfile(
  attempt: Attempt,
  order: ImageBuildOrder,
  { cwd, as, store }: Required<BuiltIn>,
): Promise<Built> {
  attempt.log(`Building an image of ${order.dockerfile}.`)
  const without = store.driver === 'overlay' ? await whyWithoutLayers(attempt, order, cwd) : 'there are none'
  if (store.driver === 'overlay' && without) attempt.log(`Layers are not used again: ${without}.`)
  const options = [
    ...imageOptions(order),
    '--iidfile',
    join(attempt.folders.apart, imageFile),
    ...(without ? [] : ['--layers']),
  ]
  let [steps, reused] = [0, 0]
  const command: Command = {
    argv: ['buildah', ...inStore(store, runIn(attempt)), 'bud', ...options, order.context],
    cwd,
    env: { ...order.arguments, ...order.secrets },
    onShownLine: (line) => {
      if (/^(\[\d+\/\d+\] )?STEP \d+\/\d+: (?!FROM )/.test(line)) steps += 1
      if (/^--> Using cache [0-9a-f]{64}$/.test(line)) reused += 1
    },
  }
  await runWithin(attempt, 'image', command, order.commandSeconds, apartFromMachine(attempt, as))
  const found = await readResult(attempt.folders.apart, imageFile, 1_024)
  return { image: idIn(attempt, found && 'content' in found ? found.content.toString() : ''), steps, reused }
}

/** The id of an image as buildah says it; what a Dockerfile runs may have got at it. */
function idIn(attempt: Attempt, said: string): string {
  const id = said.trim().replace(/^sha256:/, '')
  if (/^[0-9a-f]{64}$/.test(id)) return id
  throw new StepFailure('buildOutputInvalid', 'What was built is no image.', { details: [endOfLog(attempt)] })
}

/** More than any Dockerfile has. Bytes. */
const mostDockerfile = 1_048_576

/** What buildah would take a layer for the same in, though it is not (seen in 1.28). */
async function whyWithoutLayers(
  attempt: Attempt,
  { isInjected, dockerfile }: ImageBuildOrder,
  cwd: string,
): Promise<string | undefined> {
  if (isInjected) return 'variables are injected, and each value of them makes another image'
  const found = await readResult(resolve(attempt.directory, cwd), dockerfile, mostDockerfile)
  if (!found || !('content' in found)) return 'the Dockerfile is no file that is read for mounts'
  return mountsFiles(found.content.toString())
    ? 'the Dockerfile mounts files whose changes would not be seen'
    : undefined
}

/** Whether commands of a Dockerfile are given other files than those of their layers, caches and secrets. */
export const mountsFiles = (dockerfile: string): boolean =>
  [...dockerfile.matchAll(/--mount(?:=(\S*))?/g)].some(
    ([, options = '']) => !/(^|,)type=(cache|secret|ssh|tmpfs)(,|$)/.test(options),
  )

/** So often an image may not be in the registry once it was pushed. */
const mostRounds = 4
/** After the first of them; doubled each time. Milliseconds. */
const firstPauseMs = 1_000

/** Pushes an image until the registry has it; then the API knows the artifact. */
export async function publishImage(
  attempt: Attempt,
  { image, as, store }: { image: string; as: BuildsAs; store: Store },
  report: PublishImage,
  addressOf: Isolation['addressOf'],
): Promise<ArtifactThere> {
  for (let round = 1; ; round += 1) {
    attempt.signal.throwIfAborted()
    const answer = await attempt.calls.publishImage(report)
    if ('artifact' in answer) return answer.artifact
    const to = { ...answer.push, endpoint: addressOf(answer.push.endpoint) }
    const failure = await push(attempt, { image, as, store }, to, round)
    if (round === mostRounds) throw failure ?? notThere(answer.push)
    if (failure) await sleep(firstPauseMs * 2 ** (round - 1), undefined, { signal: attempt.signal })
  }
}

async function push(
  attempt: Attempt,
  { image, as, store }: { image: string; as: BuildsAs; store: Store },
  { endpoint, repository, tag, username, password }: ImagePush,
  round: number,
): Promise<StepFailure | undefined> {
  const { host, protocol } = new URL(endpoint)
  const auth = Buffer.from(`${username}:${password}`).toString('base64')
  for (const secret of [password, auth]) attempt.mask(secret)
  // Not where a build could have left a link. Others of the machine are kept from it by the folders around it.
  const access = join(attempt.folders.given, `access-${round}.json`)
  await writeFile(access, JSON.stringify({ auths: { [host]: { auth } } }), { mode: 0o644 })
  attempt.log(`Pushing the image to ${host}/${repository}:${tag}.`)
  const options = ['--authfile', access, `--tls-verify=${protocol === 'https:'}`]
  const address = `docker://${host}/${repository}:${tag}`
  const pushed = ['buildah', ...inStore(store, runIn(attempt)), 'push', ...options, image, address]
  const argv: Command['argv'] = [...inOwnMounts(as), ...pushed]
  const result = await attempt.process(`push ${round}`, { argv })
  if ('exitCode' in result && result.exitCode === 0) return undefined
  return new StepFailure('artifactNotPublished', 'The image could not be pushed.', {
    description: 'The role of the cloud account must be allowed to push to the repository, and the runner to call it.',
    details: [endOfLog(attempt)],
  })
}

const notThere = ({ repository, tag }: ImagePush): StepFailure =>
  new StepFailure('artifactNotPublished', `The repository ${repository} has no image ${tag}, which was pushed.`)
