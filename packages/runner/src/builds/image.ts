import { readFile, writeFile } from 'node:fs/promises'
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
export async function expectImageTool(isolation: Pick<Isolation, 'kind'>): Promise<BuildsAs> {
  const builder = await findBuilder(isolation)
  if (typeof builder === 'string') return builder
  throw new StepFailure('buildToolMissing', `The runner cannot build images: ${builder.missing}.`, {
    description:
      "Set up a runner of the organization's own for them, on a machine or in a container that nothing else is on: with the packages buildah, util-linux and mount, and with SLUICE_RUNNER_ISOLATION=none; as root, or with the package uidmap as a user that /etc/subuid and /etc/subgid give a range of ids. Give it an execution environment, and the step that. In an execution environment in a cloud account, the build service of the account builds images.",
    metadata: { tool: 'buildah' },
  })
}

const runIn = ({ folders }: Attempt): string => join(folders.apart, 'run')

const imageFile = ({ folders }: Attempt): string => join(folders.apart, 'image')

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
  ...['unshare', '--pid', '--ipc', '--fork', '--kill-child', '--mount-proc'],
  ...['/bin/sh', '-c', ownDevices, 'sh', join(folders.apart, 'dev')],
]

/** Only what programs take for granted; the disks of a machine where the runner is root are there otherwise. */
const ownDevices = `set -e
dev=$1; shift
mkdir -p "$dev"
for name in null zero full random urandom tty; do
  : >"$dev/$name"
  mount --bind "/dev/$name" "$dev/$name"
done
mkdir -p "$dev/shm" "$dev/pts"
mount -t tmpfs tmpfs "$dev/shm"
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
  const id = said && 'content' in said ? said.content.toString().trim() : ''
  if (/^[0-9a-f]{64}$/.test(id)) return id
  throw new StepFailure('buildOutputInvalid', 'What was built is no image.', { details: [endOfLog(attempt)] })
}

async function builtOfDockerfile(
  attempt: Attempt,
  order: ImageBuildOrder,
  { cwd, as, store }: Required<BuiltIn>,
): Promise<Built> {
  attempt.log(`Building an image of ${order.dockerfile}.`)
  const without = store.driver === 'overlay' ? await whyWithoutLayers(attempt, order, cwd) : 'there are none'
  if (store.driver === 'overlay' && without) attempt.log(`Layers are not used again: ${without}.`)
  const options = [...imageOptions(order), '--iidfile', imageFile(attempt), ...(without ? [] : ['--layers'])]
  let [steps, reused] = [0, 0]
  const command: Command = {
    argv: ['buildah', ...inStore(store, runIn(attempt)), 'bud', ...options, order.context],
    cwd,
    env: { ...order.arguments, ...order.secrets },
    onLine: (line) => {
      if (/^(\[\d+\/\d+\] )?STEP \d+\/\d+: (?!FROM )/.test(line)) steps += 1
      if (/^--> Using cache [0-9a-f]{64}$/.test(line)) reused += 1
      return line
    },
  }
  await runWithin(attempt, 'image', command, order.commandSeconds, apartFromMachine(attempt, as))
  return { image: (await readFile(imageFile(attempt), 'utf8')).trim(), steps, reused }
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
): Promise<ArtifactThere> {
  for (let round = 1; ; round += 1) {
    attempt.signal.throwIfAborted()
    const answer = await attempt.calls.publishImage(report)
    if ('artifact' in answer) return answer.artifact
    const failure = await push(attempt, { image, as, store }, answer.push, round)
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
  const access = join(attempt.folders.apart, `access-${round}.json`)
  await writeFile(access, JSON.stringify({ auths: { [host]: { auth } } }), { mode: 0o600 })
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
