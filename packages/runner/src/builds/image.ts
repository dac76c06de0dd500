import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ExistingArtifact, ImageBuildOrder, ImagePush, PublishImage } from '@sluice/contract/runner-protocol'
import type { Attempt, Command } from '../attempt.ts'
import { StepFailure } from '../failure.ts'
import type { Isolation } from '../isolation/isolation.ts'
import { readResult } from '../isolation/read-result.ts'
import { createLogDetail } from '../log/log-detail.ts'
import { findBuilder } from './builder.ts'
import { writeImagePolicy } from './image-policy.ts'
import {
  type BuilderType,
  createMountsPrefix,
  createStoreOptions,
  createTemporaryStore,
  type ImageStore,
} from './image-store.ts'
import { buildWithRailpack, prepareWithNixpacks } from './packers.ts'
import { runWithTimeout } from './run-with-timeout.ts'

/** @throws {StepFailure} with the required setup if this machine cannot build images */
export async function requireImageBuilder(isolation: Pick<Isolation, 'kind' | 'idRangeProblem'>): Promise<BuilderType> {
  const builder = await findBuilder(isolation)
  if (typeof builder === 'string') return builder
  throw new StepFailure('buildToolMissing', `The runner cannot build images: ${builder.missing}.`, {
    description:
      'Install the packages buildah, uidmap, util-linux and mount on the runner, and give its user a range of IDs in /etc/subuid and /etc/subgid. Images are then built in sandboxes with their own networks. On a dedicated machine or container without sandboxes, set SLUICE_RUNNER_ISOLATION=none; root then needs no range. Or run the step in an execution environment of a cloud account, whose build service builds images.',
    metadata: { tool: 'buildah' },
  })
}

const runDirectoryOf = ({ folders }: Attempt): string => join(folders.internal, 'run')

/**
 * Returns the attempt for building an image. In a sandbox, its programs are root and can write to the image store. The
 * variable tells buildah that a range of IDs is already set up.
 */
export const createImageAttempt = (attempt: Attempt, as: BuilderType): Attempt =>
  as !== 'sandbox'
    ? attempt
    : {
        ...attempt,
        runProgram: (name, command) =>
          attempt.runProgram(name, {
            ...command,
            env: { ...command.env, _CONTAINERS_USERNS_CONFIGURED: '1' },
            writable: [attempt.directory, attempt.folders.internal],
            readOnly: [attempt.folders.inputs],
            isRootInSandbox: true,
          }),
      }

const imageFile = 'image'

/** Returns the build options. They contain names only, because other users of the machine can read command lines. */
export function createImageOptions(order: ImageBuildOrder): string[] {
  const { target, isInjected, secrets } = order
  const names = Object.keys(order.arguments)
  return [
    ...['--isolation', 'chroot'],
    // A program that can call chroot inside a chroot escapes it through an open folder of the first one.
    ...['--cap-drop', 'CAP_SYS_CHROOT'],
    ...['--file', join('.', order.dockerfile)],
    ...(target === undefined ? [] : ['--target', target]),
    ...names.flatMap((name) => ['--build-arg', name]),
    ...(isInjected ? names.flatMap((name) => ['--env', name]) : []),
    ...Object.keys(secrets).flatMap((name) => ['--secret', `id=${name},env=${name}`]),
  ]
}

/**
 * Returns the command prefix that gives a build its own processes, devices and `/proc`. The Dockerfile's programs
 * cannot see or signal the runner or read disks, and end with the build.
 */
const createIsolationPrefix = ({ folders }: Attempt, as: BuilderType): string[] => [
  // The next commands need root. In the user namespace the user is root, and other IDs are those of the range.
  ...(as === 'range' ? ['buildah', 'unshare'] : []),
  ...(as === 'sandbox'
    ? ['unshare', '--mount'] // the sandbox isolates the rest
    : ['unshare', '--pid', '--ipc', '--fork', '--kill-child', '--mount-proc']),
  ...['/bin/sh', '-c', privateDevicesScript, 'sh', join(folders.internal, 'dev')],
]

/** Creates `/dev` with the usual devices only. Otherwise a build by root would see the disks of the machine. */
const privateDevicesScript = `set -e
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

/** A built image: its ID in the store, and how many steps after the base image reused cached layers. */
export type BuiltImage = { image: string; steps: number; reused: number }

type BuildContext = { cwd: string; as: BuilderType; store?: ImageStore }

/** Builds an image of a source folder. */
export async function buildImage(
  attempt: Attempt,
  order: ImageBuildOrder,
  { cwd, as, store = createTemporaryStore(attempt) }: BuildContext,
): Promise<BuiltImage> {
  const { packer, ...given } = order
  if (!packer) return buildDockerfile(attempt, given, { cwd, as, store })
  const starter = createIsolationPrefix(attempt, as)
  if (packer.tool === 'nixpacks') {
    const packed = await prepareWithNixpacks(attempt, { ...order, packer }, cwd, starter)
    return buildDockerfile(attempt, packed.order, { cwd: packed.cwd, as, store })
  }
  const file = await buildWithRailpack(attempt, { ...order, packer }, cwd, starter)
  return { image: await importImage(attempt, file, { as, store }), steps: 0, reused: 0 }
}

/** Imports an image file into the store. */
async function importImage(
  attempt: Attempt,
  file: string,
  { as, store }: Omit<Required<BuildContext>, 'cwd'>,
): Promise<string> {
  const name = 'pull'
  const options = [...createStoreOptions(store, runDirectoryOf(attempt)), 'pull', '--quiet', `oci-archive:${file}`]
  const command: Command = { argv: [...createMountsPrefix(as), 'buildah', ...options], capturesStdout: true }
  await runWithTimeout(attempt, name, command, undefined)
  const said = await attempt.readStdout(name, 1_024)
  return parseImageId(attempt, said && 'content' in said ? said.content.toString() : '')
}

async function buildDockerfile(
  attempt: Attempt,
  order: ImageBuildOrder,
  { cwd, as, store }: Required<BuildContext>,
): Promise<BuiltImage> {
  attempt.log(`Building an image from ${order.dockerfile}.`)
  const layerProblem = store.driver === 'overlay' ? await findLayerProblem(attempt, order, cwd) : 'no layer cache'
  if (store.driver === 'overlay' && layerProblem) attempt.log(`Not using cached layers: ${layerProblem}.`)
  const options = [
    ...createImageOptions(order),
    '--signature-policy',
    await writeImagePolicy(attempt.folders.inputs),
    '--iidfile',
    join(attempt.folders.internal, imageFile),
    ...(layerProblem ? [] : ['--layers']),
  ]
  let [steps, reused] = [0, 0]
  const command: Command = {
    argv: ['buildah', ...createStoreOptions(store, runDirectoryOf(attempt)), 'bud', ...options, order.context],
    cwd,
    env: { ...order.arguments, ...order.secrets },
    onLoggedLine: (line) => {
      if (/^(\[\d+\/\d+\] )?STEP \d+\/\d+: (?!FROM )/.test(line)) steps += 1
      if (/^--> Using cache [0-9a-f]{64}$/.test(line)) reused += 1
    },
  }
  await runWithTimeout(attempt, 'image', command, order.commandSeconds, createIsolationPrefix(attempt, as))
  const found = await readResult(attempt.folders.internal, imageFile, 1_024)
  return { image: parseImageId(attempt, found && 'content' in found ? found.content.toString() : ''), steps, reused }
}

/** Parses the image ID from buildah's output, which a Dockerfile may have manipulated. */
function parseImageId(attempt: Attempt, said: string): string {
  const id = said.trim().replace(/^sha256:/, '')
  if (/^[0-9a-f]{64}$/.test(id)) return id
  throw new StepFailure('buildOutputInvalid', 'The build produced no image.', { details: [createLogDetail(attempt)] })
}

/** Larger than any real Dockerfile. */
const maxDockerfileBytes = 1_048_576

/** Returns why cached layers are unsafe: a change that buildah would not detect (seen in 1.28). */
async function findLayerProblem(
  attempt: Attempt,
  { isInjected, dockerfile }: ImageBuildOrder,
  cwd: string,
): Promise<string | undefined> {
  if (isInjected) return 'variables are injected, and buildah does not detect changes of their values'
  const found = await readResult(resolve(attempt.directory, cwd), dockerfile, maxDockerfileBytes)
  if (!found || !('content' in found)) return 'cannot read the Dockerfile to check its mounts'
  return mountsFiles(found.content.toString())
    ? 'the Dockerfile mounts files, and buildah does not detect changes of these'
    : undefined
}

/** Returns whether a Dockerfile mounts files other than caches, secrets and temporary files. */
export const mountsFiles = (dockerfile: string): boolean =>
  [...dockerfile.matchAll(/--mount(?:=(\S*))?/g)].some(
    ([, options = '']) => !/(^|,)type=(cache|secret|ssh|tmpfs)(,|$)/.test(options),
  )

/** Maximum number of pushes after which the image is not in the registry. */
const maxRounds = 4
/** Delay after the first failed push. Doubles after each push. */
const initialBackoffMs = 1_000

/** Pushes an image until the API finds it in the registry and returns the artifact. */
export async function publishImage(
  attempt: Attempt,
  { image, as, store }: { image: string; as: BuilderType; store: ImageStore },
  report: PublishImage,
  rewriteUrl: Isolation['rewriteUrl'],
): Promise<ExistingArtifact> {
  for (let round = 1; ; round += 1) {
    attempt.signal.throwIfAborted()
    const answer = await attempt.api.publishImage(report)
    if ('artifact' in answer) return answer.artifact
    const to = { ...answer.push, endpoint: rewriteUrl(answer.push.endpoint) }
    const failure = await pushImage(attempt, { image, as, store }, to, round)
    if (round === maxRounds) throw failure ?? createMissingImageError(answer.push)
    if (failure) await sleep(initialBackoffMs * 2 ** (round - 1), undefined, { signal: attempt.signal })
  }
}

async function pushImage(
  attempt: Attempt,
  { image, as, store }: { image: string; as: BuilderType; store: ImageStore },
  { endpoint, repository, tag, username, password }: ImagePush,
  round: number,
): Promise<StepFailure | undefined> {
  const { host, protocol } = new URL(endpoint)
  const auth = Buffer.from(`${username}:${password}`).toString('base64')
  for (const secret of [password, auth]) attempt.mask(secret)
  // Not in a folder where a build could have created a link. The parent folders keep other users out.
  const access = join(attempt.folders.inputs, `access-${round}.json`)
  await writeFile(access, JSON.stringify({ auths: { [host]: { auth } } }), { mode: 0o644 })
  attempt.log(`Pushing the image to ${host}/${repository}:${tag}.`)
  const options = ['--authfile', access, `--tls-verify=${protocol === 'https:'}`]
  const address = `docker://${host}/${repository}:${tag}`
  const pushed = ['buildah', ...createStoreOptions(store, runDirectoryOf(attempt)), 'push', ...options, image, address]
  const argv: Command['argv'] = [...createMountsPrefix(as), ...pushed]
  const result = await attempt.runProgram(`push ${round}`, { argv })
  if ('exitCode' in result && result.exitCode === 0) return undefined
  return new StepFailure('artifactNotPublished', 'Cannot push the image.', {
    description: 'Allow the role of the cloud account to push to the repository, and the runner to reach the registry.',
    details: [createLogDetail(attempt)],
  })
}

const createMissingImageError = ({ repository, tag }: ImagePush): StepFailure =>
  new StepFailure('artifactNotPublished', `The image ${tag} is not in the repository ${repository} after the push.`)
