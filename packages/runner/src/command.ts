import { realpathSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'
import type { CommandOrder, Outcome } from '@sluice/contract/runner-protocol'
import { type ProgramValue, readProgramJson, toStorableOutput } from '@sluice/contract/storable-value'
import { downloadArtifacts } from './artifacts/download.ts'
import { uploadArtifacts } from './artifacts/upload.ts'
import type { Attempt, OrderHandler, ProcessResult } from './attempt.ts'
import { StepFailure } from './failure.ts'
import { createLogDetail } from './log/log-detail.ts'
import type { Repositories } from './sources/repositories.ts'
import { checkOutStepSource } from './sources/step-source.ts'
import { createSuccess } from './success.ts'

type Json = Record<string, unknown>

/** Name of the variable with the path of the output file, and the name of that file. */
const outputVariable = 'SLUICE_OUTPUT'
const outputFile = 'output.json'
/** Maximum size of an output in bytes. Templates read outputs and pages show them, so they must stay small. */
const maxOutputBytes = 256 * 1024

/** Creates the handler of `command` steps, which runs a program in a clean environment. */
export const createCommandHandler =
  (repositories: Repositories): OrderHandler<CommandOrder> =>
  async (attempt, order) => {
    const directory = await resolveWorkingDirectory(attempt, order, repositories)
    const output = join(attempt.directory, outputFile)
    const { argv, shell, env, artifacts } = order
    await downloadArtifacts(attempt, artifacts?.download ?? [], directory)
    attempt.log(`$ ${shell ?? argv.map(formatArgument).join(' ')}`)
    const result = await attempt.runProgram('command', {
      argv,
      cwd: directory,
      env: { ...env, [outputVariable]: output },
    })
    if (!('exitCode' in result && result.exitCode === 0)) throw createCommandError(attempt, result)
    const outcome = await readOutput(attempt)
    await uploadArtifacts(attempt, artifacts?.upload ?? [], directory)
    return outcome
  }

/** Returns an argument for display: quoted if it has characters that would blur where it ends. */
const formatArgument = (argument: string): string =>
  /^[\w./:=@%+,-]+$/.test(argument) ? argument : JSON.stringify(argument)

/** Returns the folder to run the program in. Resolves links first, so that the folder is inside the source. */
async function resolveWorkingDirectory(
  attempt: Attempt,
  order: CommandOrder,
  repositories: Repositories,
): Promise<string> {
  const { source, workingDirectory: requested } = order
  const root = realpathSync.native(
    source ? (await checkOutStepSource(attempt, source, repositories)).directory : attempt.directory,
  )
  const folder = resolveFolder(join(root, requested))
  if (folder !== undefined && (folder === root || folder.startsWith(root + sep))) return folder
  throw new StepFailure(
    'workingDirectoryInvalid',
    `Cannot use the working directory ${JSON.stringify(requested)}: it is not a folder ${source ? 'of the source' : 'of the step, which has no source'}.`,
    { description: 'Set working_directory to a path below base_path.' },
  )
}

/** Returns the real path of a folder; undefined if it does not exist. */
function resolveFolder(path: string): string | undefined {
  try {
    const folder = realpathSync.native(path)
    return statSync(folder).isDirectory() ? folder : undefined
  } catch {
    return undefined
  }
}

async function readOutput(attempt: Attempt): Promise<Outcome> {
  const found = await attempt.readResult(outputFile, maxOutputBytes)
  if (found && 'refused' in found) throw createOutputError(attempt, found.refused)
  if (!found?.content.length) return { status: 'SUCCESS' }
  return parseOutput(attempt, found.content.toString())
}

/** Parses the output. The program has succeeded, so only a text that is not a JSON object fails the step. */
function parseOutput(attempt: Attempt, text: string): Outcome {
  const { value, omittedValues } = parseOutputText(attempt, text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw createOutputError(attempt, 'it is JSON, but not an object')
  }
  const output = toStorableOutput(value as Json, 'output')
  return createSuccess(output.value, [...omittedValues, ...output.omittedValues])
}

function parseOutputText(attempt: Attempt, text: string): ProgramValue {
  try {
    return readProgramJson(text, 'output')
  } catch (error) {
    throw createOutputError(attempt, error instanceof Error ? error.message : String(error))
  }
}

function createCommandError(attempt: Attempt, result: ProcessResult): StepFailure {
  const how = 'exitCode' in result ? `with exit code ${result.exitCode}` : `by ${result.signal}`
  return new StepFailure('commandFailed', `The program of the step ${attempt.stepName} ended ${how}.`, {
    details: [createLogDetail(attempt)],
    metadata: { ...result },
  })
}

const createOutputError = ({ stepName }: Attempt, why: string): StepFailure =>
  new StepFailure(
    'commandOutputInvalid',
    `The output of the step ${stepName} in the file $${outputVariable} is invalid: ${why}.`,
    { description: `Write one JSON object of at most ${maxOutputBytes / 1024} KiB to the file, or nothing.` },
  )
