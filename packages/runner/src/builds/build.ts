import { setTimeout as sleep } from 'node:timers/promises'
import { failures } from '@sluice/contract/errors'
import type {
  ArtifactThere,
  BuildOrder,
  FileBuildOrder,
  Outcome,
  PublishArtifact,
} from '@sluice/contract/runner-protocol'
import type { Attempt, Work } from '../attempt.ts'
import { StepFailure } from '../failure.ts'
import type { Isolation } from '../isolation/isolation.ts'
import type { Repositories } from '../sources/repositories.ts'
import { stepSource } from '../sources/step-source.ts'
import { archived } from './archive.ts'
import { attach } from './attach.ts'
import { type BuiltFile, collected } from './collect.ts'
import { contentHashedPaths } from './content-hashes.ts'
import { builtImage, expectImageTool, imageAttempt, publishImage } from './image.ts'
import type { Layers } from './layers.ts'
import { runWithin } from './run-within.ts'
import { upload } from './upload.ts'

/**
 * Carries out steps of the type `build`: makes an artifact of a commit, and publishes it. What the API knows already is
 * not built again; what lies there already is not stored again.
 */
export const buildWork =
  (
    repositories: Repositories,
    isolation: Pick<Isolation, 'kind' | 'withoutRange' | 'addressOf'>,
    layers: Layers,
    /** Where the runner's own requests may go beside the public internet. */
    outboundAllow: readonly string[],
  ): Work<BuildOrder> =>
  async (attempt, order) => {
    const { commit, digest: tree, directory } = await stepSource(attempt, order.source, repositories)
    const built = { tree, ...(commit !== undefined && { commit }) }
    if (commit !== undefined) {
      attempt.log(`The commit is ${commit}.`)
      await attempt.showProgress({ commit })
    }
    const { artifact } = await attempt.calls.findArtifact(built)
    if (artifact) return done(attempt, artifact, outboundAllow)
    const from = Date.now()
    const since = () => Math.ceil((Date.now() - from) / 1_000)
    if (order.publishedAs === 'image') {
      const as = await expectImageTool(isolation)
      const building = imageAttempt(attempt, as)
      const { store, secondsWithout, putBack } = await layers.take(building, order)
      const { image, steps, reused } = await builtImage(building, order, { cwd: directory, as, store }).catch(
        async (error: unknown) => {
          if (hasEndedByItself(attempt, error)) await putBack()
          throw error
        },
      )
      const buildSeconds = since()
      if (reused > 0) attempt.log(saidOfLayers({ steps, reused, buildSeconds, secondsWithout }))
      const report = { ...built, buildSeconds }
      const artifact = await publishImage(building, { image, as, store }, report, isolation.addressOf)
      await putBack(reused > 0 ? undefined : buildSeconds)
      return done(attempt, artifact, outboundAllow)
    }
    for (const command of order.commands) await run(attempt, order, command, directory)
    const files = await collected(attempt, directory, order.outputDirectory)
    const published = order.publishedAs === 'archive' ? [await archived(attempt, files)] : files
    const hashed = order.publishedAs === 'archive' ? new Set<string>() : await contentHashedPaths(files)
    if (hashed.size > 0) attempt.log(`${hashed.size} files are named by their content, as the build tool lists them.`)
    const report = {
      ...built,
      buildSeconds: since(),
      files: published.map(({ path, sizeBytes, sha256 }) => ({
        ...{ path, sizeBytes, sha256 },
        ...(hashed.has(path) && { isContentHashed: true as const }),
      })),
    }
    return publish(attempt, published, report, outboundAllow)
  }

/** What was killed in the middle of its work may have left a store that is not whole. */
const hasEndedByItself = ({ signal }: Attempt, error: unknown): boolean =>
  !signal.aborted &&
  error instanceof StepFailure &&
  error.error.code === failures.buildCommandFailed.code &&
  Number(error.error.metadata?.exitCode) < firstOfSignals

/** By an exit code from here on it is said that a program was killed. */
const firstOfSignals = 128

type LayersSaid = { steps: number; reused: number; buildSeconds: number; secondsWithout: number | undefined }

function saidOfLayers({ steps, reused, buildSeconds, secondsWithout = 0 }: LayersSaid): string {
  const said = `Layers of builds before were used again for ${reused} of ${steps} steps`
  const saved = secondsWithout - buildSeconds
  return saved > 0 ? `${said}, which saves ${saved} s: without, it took ${secondsWithout} s.` : `${said}.`
}

/** What says how an image was built is put beside it also where the runner was killed just before. */
async function done(
  attempt: Attempt,
  { output, said, attached }: ArtifactThere,
  outboundAllow: readonly string[],
): Promise<Outcome> {
  attempt.log(said)
  if (attached) await attach(attempt, attached, outboundAllow)
  return { status: 'SUCCESS', output }
}

const run = (
  attempt: Attempt,
  { env, commandSeconds }: FileBuildOrder,
  { name, script }: FileBuildOrder['commands'][number],
  cwd: string,
): Promise<void> => {
  attempt.log(`$ ${script}`)
  return runWithin(attempt, name, { argv: ['sh', '-c', script], cwd, env }, commandSeconds)
}

/** So often nothing may be stored of what is missing, and is asked for anew with fresh signatures. */
const mostFailedRounds = 4
/** After the first of them; doubled each time. Milliseconds. */
const firstPauseMs = 1_000

/** Stores what is missing until nothing is; then the API knows the artifact. */
async function publish(
  attempt: Attempt,
  files: readonly BuiltFile[],
  report: PublishArtifact,
  outboundAllow: readonly string[],
): Promise<Outcome> {
  const places = new Map(files.map(({ path, file }) => [path, file]))
  for (let failedRounds = 0; ; ) {
    attempt.signal.throwIfAborted()
    const answer = await attempt.calls.publishArtifact(report)
    if ('artifact' in answer) return done(attempt, answer.artifact, outboundAllow)
    attempt.log(`Storing ${answer.uploads.length} of ${files.length} files.`)
    const refused = await upload(answer.uploads, places, attempt.signal)
    if (refused.length < answer.uploads.length) continue
    failedRounds += 1
    if (failedRounds === mostFailedRounds) throw notStored(refused)
    await sleep(firstPauseMs * 2 ** (failedRounds - 1), undefined, { signal: attempt.signal })
  }
}

const notStored = (refused: readonly string[]): StepFailure =>
  new StepFailure('artifactNotPublished', 'What was built could not be stored.', {
    description:
      'The role of the cloud account must be allowed to store objects in the bucket, and the runner to call it.',
    details: [{ title: 'What the store says', render: 'list', items: [...new Set(refused)].slice(0, 5) }],
  })
