import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ArtifactThere, ImageBuildOrder, ImagePush, PublishImage } from '@sluice/contract/runner-protocol'
import type { Attempt, Command } from '../attempt.ts'
import { StepFailure } from '../failure.ts'
import type { Isolation } from '../isolation/isolation.ts'
import { endOfLog } from '../log/last-lines.ts'
import { findBuilder } from './image-machine.ts'
import { nixpacked, railpacked } from './packers.ts'
import { runWithin } from './run-within.ts'

/** @throws {StepFailure} where the machine cannot build images, with what to set up */
export async function expectImageTool(isolation: Pick<Isolation, 'kind'>): Promise<'root' | 'range'> {
  const builder = await findBuilder(isolation)
  if (typeof builder === 'string') return builder
  throw new StepFailure('buildToolMissing', `The runner cannot build images: ${builder.missing}.`, {
    description:
      "Set up a runner of the organization's own for them, on a machine or in a container that nothing else is on: with the packages buildah, util-linux and mount, and with SLUICE_RUNNER_ISOLATION=none; as root, or with the package uidmap as a user that /etc/subuid and /etc/subgid give a range of ids. Give it an execution environment, and the step that. In an execution environment in a cloud account, the build service of the account builds images.",
    metadata: { tool: 'buildah' },
  })
}

/** Images and containers lie with the attempt, and are gone with it. No layer of one tenant's is another's. */
const inStore = ({ folders }: Attempt): string[] => [
  ...['--root', join(folders.apart, 'storage')],
  ...['--runroot', join(folders.apart, 'run')],
  ...['--storage-driver', 'vfs'],
]

const imageFile = ({ folders }: Attempt): string => join(folders.apart, 'image')

/** How an image is built. No value is on a command line: others on the machine read those. */
export function imageOptions(order: ImageBuildOrder): string[] {
  const { target, isInjected, secrets } = order
  const names = Object.keys(order.arguments)
  return [
    ...['--isolation', 'chroot'],
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
const apartFromMachine = ({ folders }: Attempt, as: 'root' | 'range'): string[] => [
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

/** Builds an image of the files in a folder; answers with its id in the attempt's store. */
export async function builtImage(
  attempt: Attempt,
  order: ImageBuildOrder,
  { cwd, as }: { cwd: string; as: 'root' | 'range' },
): Promise<string> {
  const { packer, ...given } = order
  if (!packer) return builtOfDockerfile(attempt, given, { cwd, as })
  const starter = apartFromMachine(attempt, as)
  if (packer.tool === 'nixpacks') {
    const packed = await nixpacked(attempt, { ...order, packer }, cwd, starter)
    return builtOfDockerfile(attempt, packed.order, { cwd: packed.cwd, as })
  }
  return taken(attempt, await railpacked(attempt, { ...order, packer }, cwd, starter))
}

/** Takes an image that lies in a file into the attempt's store. */
async function taken(attempt: Attempt, file: string): Promise<string> {
  const name = 'pull'
  const command: Command = {
    argv: ['buildah', ...inStore(attempt), 'pull', '--quiet', `oci-archive:${file}`],
    keepsStdout: true,
  }
  await runWithin(attempt, name, command, undefined)
  const said = await attempt.stdoutOf(name, 1_024)
  const id = said && 'content' in said ? said.content.toString().trim() : ''
  if (/^[0-9a-f]{64}$/.test(id)) return id
  throw new StepFailure('buildOutputInvalid', 'What was built is no image.', { details: [endOfLog(attempt)] })
}

async function builtOfDockerfile(
  attempt: Attempt,
  order: ImageBuildOrder,
  { cwd, as }: { cwd: string; as: 'root' | 'range' },
): Promise<string> {
  attempt.log(`Building an image of ${order.dockerfile}.`)
  const options = [...imageOptions(order), '--iidfile', imageFile(attempt)]
  const command: Command = {
    argv: ['buildah', ...inStore(attempt), 'bud', ...options, order.context],
    cwd,
    env: { ...order.arguments, ...order.secrets },
  }
  await runWithin(attempt, 'image', command, order.commandSeconds, apartFromMachine(attempt, as))
  return (await readFile(imageFile(attempt), 'utf8')).trim()
}

/** So often an image may not be in the registry once it was pushed. */
const mostRounds = 4
/** After the first of them; doubled each time. Milliseconds. */
const firstPauseMs = 1_000

/** Pushes an image until the registry has it; then the API knows the artifact. */
export async function publishImage(attempt: Attempt, image: string, report: PublishImage): Promise<ArtifactThere> {
  for (let round = 1; ; round += 1) {
    attempt.signal.throwIfAborted()
    const answer = await attempt.calls.publishImage(report)
    if ('artifact' in answer) return answer.artifact
    const failure = await push(attempt, image, answer.push, round)
    if (round === mostRounds) throw failure ?? notThere(answer.push)
    if (failure) await sleep(firstPauseMs * 2 ** (round - 1), undefined, { signal: attempt.signal })
  }
}

async function push(
  attempt: Attempt,
  image: string,
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
  const argv: Command['argv'] = ['buildah', ...inStore(attempt), 'push', ...options, image, address]
  const result = await attempt.process(`push ${round}`, { argv })
  if ('exitCode' in result && result.exitCode === 0) return undefined
  return new StepFailure('artifactNotPublished', 'The image could not be pushed.', {
    description: 'The role of the cloud account must be allowed to push to the repository, and the runner to call it.',
    details: [endOfLog(attempt)],
  })
}

const notThere = ({ repository, tag }: ImagePush): StepFailure =>
  new StepFailure('artifactNotPublished', `The repository ${repository} has no image ${tag}, which was pushed.`)
