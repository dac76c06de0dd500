import { realpathSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'
import type { CommandOrder, Outcome } from '@sluice/contract/runner-protocol'
import { type ProgramValue, readProgramJson, toStorableOutput } from '@sluice/contract/storable-value'
import type { Attempt, ProcessResult, Work } from './attempt.ts'
import { StepFailure } from './failure.ts'
import { endOfLog } from './log/last-lines.ts'
import type { Repositories } from './sources/repositories.ts'
import { stepSource } from './sources/step-source.ts'
import { successWith } from './success.ts'

type Json = Record<string, unknown>

/** The variable that names the file for the output, and the file. */
const outputVariable = 'SLUICE_OUTPUT'
const outputFile = 'output.json'
/** Outputs are read by templates and shown: they are results, not files. Bytes. */
const mostOutput = 256 * 1024

/** Carries out steps of the type `command`: runs a program in a clean environment. */
export const commandWork =
  (repositories: Repositories): Work<CommandOrder> =>
  async (attempt, order) => {
    const directory = await placeOf(attempt, order, repositories)
    const output = join(attempt.directory, outputFile)
    const { argv, shell, env } = order
    attempt.log(`$ ${shell ?? argv.map(shownArgument).join(' ')}`)
    const result = await attempt.process('command', { argv, cwd: directory, env: { ...env, [outputVariable]: output } })
    if (!('exitCode' in result && result.exitCode === 0)) throw commandFailed(attempt, result)
    return readOutput(attempt)
  }

/** As it stands where it is plain, else so that its bounds are seen. */
const shownArgument = (argument: string): string =>
  /^[\w./:=@%+,-]+$/.test(argument) ? argument : JSON.stringify(argument)

/** The folder that the program runs in; it is one of the source, whatever links there are. */
async function placeOf(attempt: Attempt, order: CommandOrder, repositories: Repositories): Promise<string> {
  const { source, workingDirectory: wanted } = order
  const root = realpathSync.native(
    source ? (await stepSource(attempt, source, repositories)).directory : attempt.directory,
  )
  const folder = folderAt(join(root, wanted))
  if (folder !== undefined && (folder === root || folder.startsWith(root + sep))) return folder
  throw new StepFailure(
    'workingDirectoryInvalid',
    `${JSON.stringify(wanted)} is no folder ${source ? 'of the source' : 'of the step, which has no source'}.`,
    { description: 'Give working_directory as a path below base_path.' },
  )
}

/** Where the path of a folder leads; undefined where there is none. */
function folderAt(path: string): string | undefined {
  try {
    const folder = realpathSync.native(path)
    return statSync(folder).isDirectory() ? folder : undefined
  } catch {
    return undefined
  }
}

async function readOutput(attempt: Attempt): Promise<Outcome> {
  const found = await attempt.result(outputFile, mostOutput)
  if (found && 'refused' in found) throw outputInvalid(attempt, found.refused)
  if (!found?.content.length) return { status: 'SUCCESS' }
  return outputIn(attempt, found.content.toString())
}

/** The program has done its work: only a text that is no output at all fails the step. */
function outputIn(attempt: Attempt, text: string): Outcome {
  const { value, omittedValues } = readOutputText(attempt, text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw outputInvalid(attempt, 'it is JSON, but not an object')
  }
  const output = toStorableOutput(value as Json, 'output')
  return successWith(output.value, [...omittedValues, ...output.omittedValues])
}

function readOutputText(attempt: Attempt, text: string): ProgramValue {
  try {
    return readProgramJson(text, 'output')
  } catch (error) {
    throw outputInvalid(attempt, error instanceof Error ? error.message : String(error))
  }
}

function commandFailed(attempt: Attempt, result: ProcessResult): StepFailure {
  const how = 'exitCode' in result ? `with exit code ${result.exitCode}` : `by ${result.signal}`
  return new StepFailure('commandFailed', `The program of the step ${attempt.stepName} ended ${how}.`, {
    details: [endOfLog(attempt)],
    metadata: { ...result },
  })
}

const outputInvalid = ({ stepName }: Attempt, why: string): StepFailure =>
  new StepFailure(
    'commandOutputInvalid',
    `What the step ${stepName} wrote to the file $${outputVariable} is not its output: ${why}.`,
    { description: `Write one JSON object of at most ${mostOutput / 1024} KiB there, or nothing.` },
  )
