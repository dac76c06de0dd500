import { setTimeout as sleep } from 'node:timers/promises'
import type { BuildOrder, FindArtifact, Outcome } from '@sluice/contract/runner-protocol'
import type { Attempt, Command, Work } from '../attempt.ts'
import { StepFailure } from '../failure.ts'
import { endOfLog } from '../log/last-lines.ts'
import type { Repositories } from '../sources/repositories.ts'
import { stepSource } from '../sources/step-source.ts'
import { archived } from './archive.ts'
import { type BuiltFile, collected } from './collect.ts'
import { upload } from './upload.ts'

/**
 * Carries out steps of the type `build`: makes an artifact of a commit, and publishes it. What the API knows already is
 * not built again; what lies there already is not stored again.
 */
export const buildWork =
  (repositories: Repositories): Work<BuildOrder> =>
  async (attempt, order) => {
    const { commit, digest: tree, directory } = await stepSource(attempt, order.source, repositories)
    const built = { tree, ...(commit !== undefined && { commit }) }
    if (commit !== undefined) {
      attempt.log(`The commit is ${commit}.`)
      await attempt.showProgress({ commit })
    }
    const { artifact } = await attempt.calls.findArtifact(built)
    if (artifact) return done(attempt, artifact)
    const from = Date.now()
    for (const command of order.commands) await run(attempt, order, command, directory)
    const files = await collected(attempt, directory, order.outputDirectory)
    const published = order.publishedAs === 'archive' ? [await archived(attempt, files)] : files
    return publish(attempt, published, { ...built, buildSeconds: Math.ceil((Date.now() - from) / 1_000) })
  }

function done(attempt: Attempt, { output, said }: { output: Record<string, unknown>; said: string }): Outcome {
  attempt.log(said)
  return { status: 'SUCCESS', output }
}

/** The exit code of `timeout` for a command that took too long. */
const tookTooLong = 124
/** What a command has to end by itself then. Seconds. */
const toEndWithin = 10

/** In the foreground it stays in the group of processes that is told to stop when the attempt is. */
const argvOf = (script: string, seconds: number | undefined): Command['argv'] =>
  seconds === undefined
    ? ['sh', '-c', script]
    : ['timeout', '--foreground', `--kill-after=${toEndWithin}`, String(seconds), 'sh', '-c', script]

async function run(
  attempt: Attempt,
  { env, commandSeconds }: BuildOrder,
  { name, script }: BuildOrder['commands'][number],
  cwd: string,
): Promise<void> {
  attempt.log(`$ ${script}`)
  const result = await attempt.process(name, { argv: argvOf(script, commandSeconds), cwd, env })
  const exitCode = 'exitCode' in result ? result.exitCode : undefined
  if (exitCode === 0) return
  if (commandSeconds !== undefined && exitCode === tookTooLong) {
    throw new StepFailure('stepTimedOut', `The ${name} command of the build was not done in ${commandSeconds} s.`, {
      description: 'The timeout of the build block says how long each of its commands may take.',
      details: [endOfLog(attempt)],
    })
  }
  const how = 'exitCode' in result ? `with exit code ${exitCode}` : `by ${result.signal}`
  throw new StepFailure('buildCommandFailed', `The ${name} command of the build ended ${how}.`, {
    details: [endOfLog(attempt)],
    metadata: { command: name, ...result },
  })
}

/** So often nothing may be stored of what is missing, and is asked for anew with fresh signatures. */
const mostFailedRounds = 4
/** After the first of them; doubled each time. Milliseconds. */
const firstPauseMs = 1_000

/** Stores what is missing until nothing is; then the API knows the artifact. */
async function publish(
  attempt: Attempt,
  files: readonly BuiltFile[],
  built: FindArtifact & { buildSeconds: number },
): Promise<Outcome> {
  const places = new Map(files.map(({ path, file }) => [path, file]))
  const report = { ...built, files: files.map(({ path, sizeBytes, sha256 }) => ({ path, sizeBytes, sha256 })) }
  for (let failedRounds = 0; ; ) {
    attempt.signal.throwIfAborted()
    const answer = await attempt.calls.publishArtifact(report)
    if ('artifact' in answer) return done(attempt, answer.artifact)
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
