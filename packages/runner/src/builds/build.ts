import { setTimeout as sleep } from 'node:timers/promises'
import { failures } from '@sluice/contract/errors'
import type {
  BuildOrder,
  ExistingArtifact,
  FileBuildOrder,
  Outcome,
  PublishArtifact,
} from '@sluice/contract/runner-protocol'
import type { Attempt, OrderHandler } from '../attempt.ts'
import { StepFailure } from '../failure.ts'
import type { Isolation } from '../isolation/isolation.ts'
import type { Repositories } from '../sources/repositories.ts'
import { checkOutStepSource } from '../sources/step-source.ts'
import { archiveFiles } from './archive.ts'
import { attachStatement } from './attach.ts'
import { type BuiltFile, collectFiles } from './collect.ts'
import { findContentHashedPaths } from './content-hashes.ts'
import { buildImage, createImageAttempt, publishImage, requireImageBuilder } from './image.ts'
import type { LayerCache } from './layer-cache.ts'
import { runWithTimeout } from './run-with-timeout.ts'
import { uploadFiles } from './upload.ts'

/**
 * Creates the handler of `build` steps, which builds an artifact of a commit and publishes it. Skips the build if the
 * API knows the artifact, and skips files that are already stored.
 */
export const createBuildHandler =
  (
    repositories: Repositories,
    isolation: Pick<Isolation, 'kind' | 'idRangeProblem' | 'rewriteUrl'>,
    layers: LayerCache,
    /** Destinations of the runner's own requests besides the public internet. */
    outboundAllow: readonly string[],
  ): OrderHandler<BuildOrder> =>
  async (attempt, order) => {
    const { commit, digest: tree, directory } = await checkOutStepSource(attempt, order.source, repositories)
    const built = { tree, ...(commit !== undefined && { commit }) }
    if (commit !== undefined) {
      attempt.log(`Building commit ${commit}.`)
      await attempt.reportProgress({ commit })
    }
    const { artifact } = await attempt.api.findArtifact(built)
    if (artifact) return finishBuild(attempt, artifact, outboundAllow)
    const from = Date.now()
    const elapsedSeconds = () => Math.ceil((Date.now() - from) / 1_000)
    if (order.publishedAs === 'image') {
      const as = await requireImageBuilder(isolation)
      const building = createImageAttempt(attempt, as)
      const { store, uncachedBuildSeconds, release } = await layers.acquire(building, order)
      const { image, steps, reused } = await buildImage(building, order, { cwd: directory, as, store }).catch(
        async (error: unknown) => {
          if (hasExitedNormally(attempt, error)) await release()
          throw error
        },
      )
      const buildSeconds = elapsedSeconds()
      if (reused > 0)
        attempt.log(describeLayerReuse({ steps, reused, buildSeconds, secondsWithout: uncachedBuildSeconds }))
      const report = { ...built, buildSeconds }
      const artifact = await publishImage(building, { image, as, store }, report, isolation.rewriteUrl)
      await release(reused > 0 ? undefined : buildSeconds)
      return finishBuild(attempt, artifact, outboundAllow)
    }
    for (const command of order.commands) await runCommand(attempt, order, command, directory)
    const files = await collectFiles(attempt, directory, order.outputDirectory)
    const published = order.publishedAs === 'archive' ? [await archiveFiles(attempt, files)] : files
    const hashed = order.publishedAs === 'archive' ? new Set<string>() : await findContentHashedPaths(files)
    if (hashed.size > 0)
      attempt.log(`${hashed.size} files have a content hash in their name, according to the build tool.`)
    const report = {
      ...built,
      buildSeconds: elapsedSeconds(),
      files: published.map(({ path, sizeBytes, sha256 }) => ({
        path,
        sizeBytes,
        sha256,
        ...(hashed.has(path) && { isContentHashed: true as const }),
      })),
    }
    return publishFiles(attempt, published, report, outboundAllow)
  }

/** Returns whether the build failed without being killed. A killed build may leave a broken store. */
const hasExitedNormally = ({ signal }: Attempt, error: unknown): boolean =>
  !signal.aborted &&
  error instanceof StepFailure &&
  error.error.code === failures.buildCommandFailed.code &&
  Number(error.error.metadata?.exitCode) < firstSignalExitCode

/** Exit codes from here on mean that a signal killed the program. */
const firstSignalExitCode = 128

type LayerReuse = { steps: number; reused: number; buildSeconds: number; secondsWithout: number | undefined }

function describeLayerReuse({ steps, reused, buildSeconds, secondsWithout = 0 }: LayerReuse): string {
  const said = `Reused cached layers for ${reused} of ${steps} steps`
  const saved = secondsWithout - buildSeconds
  return saved > 0
    ? `${said} and saved ${saved} s: a build without cached layers took ${secondsWithout} s.`
    : `${said}.`
}

/**
 * Ends the step with an artifact. Attaches the statement here, because an earlier start may have been killed before it.
 */
async function finishBuild(
  attempt: Attempt,
  { output, said, attached }: ExistingArtifact,
  outboundAllow: readonly string[],
): Promise<Outcome> {
  attempt.log(said)
  if (attached) await attachStatement(attempt, attached, outboundAllow)
  return { status: 'SUCCESS', output }
}

const runCommand = (
  attempt: Attempt,
  { env, commandSeconds }: FileBuildOrder,
  { name, script }: FileBuildOrder['commands'][number],
  cwd: string,
): Promise<void> => {
  attempt.log(`$ ${script}`)
  return runWithTimeout(attempt, name, { argv: ['sh', '-c', script], cwd, env }, commandSeconds)
}

/** Maximum number of upload attempts that store no file. Each attempt requests new signed URLs. */
const maxFailedRounds = 4
/** Delay after the first failed round. Doubles after each round. */
const initialBackoffMs = 1_000

/** Uploads files until the API has all of them and returns the artifact. */
async function publishFiles(
  attempt: Attempt,
  files: readonly BuiltFile[],
  report: PublishArtifact,
  outboundAllow: readonly string[],
): Promise<Outcome> {
  const filesByPath = new Map(files.map(({ path, file }) => [path, file]))
  for (let failedRounds = 0; ; ) {
    attempt.signal.throwIfAborted()
    const answer = await attempt.api.publishArtifact(report)
    if ('artifact' in answer) return finishBuild(attempt, answer.artifact, outboundAllow)
    attempt.log(`Uploading ${answer.uploads.length} of ${files.length} files.`)
    const rejections = await uploadFiles(answer.uploads, filesByPath, attempt.signal)
    if (rejections.length < answer.uploads.length) continue
    failedRounds += 1
    if (failedRounds === maxFailedRounds) throw createUploadError(rejections)
    await sleep(initialBackoffMs * 2 ** (failedRounds - 1), undefined, { signal: attempt.signal })
  }
}

const createUploadError = (refused: readonly string[]): StepFailure =>
  new StepFailure('artifactNotPublished', 'Cannot upload the files of the build.', {
    description:
      'Allow the role of the cloud account to write objects to the bucket, and the runner to reach the bucket.',
    details: [{ title: 'Responses of the bucket', render: 'list', items: [...new Set(refused)].slice(0, 5) }],
  })
